import Belfry
import Foundation
import Synchronization

/// The phone's notes for the inspector; all parts of the phone write into them. The ages of the app's tokens are stored
/// on disk at each change.
final class PhoneNotes: Sendable {
    private struct State {
        var inspector = Inspector()
        /// The ages as stored on disk; nil before the file was read.
        var keptAges: TokenAges?
        var isAppRunning = false
    }

    private let state = Mutex(State())
    private let viewers: Viewers
    private let clock: PhoneClock
    private let world: DeviceEnvironment
    /// The file is among the app's own files, so it is deleted with them.
    private let agesFile: TokenAgesFile

    /// - Parameter folder: the folder of the app's files.
    init(viewers: Viewers, clock: PhoneClock, world: DeviceEnvironment, folder: URL) {
        self.viewers = viewers
        self.clock = clock
        self.world = world
        agesFile = TokenAgesFile(folder: folder)
    }

    /// The inspector's present state.
    var inspector: Inspector { state.withLock { $0.inspector } }

    func noteExchange(_ request: TransportRequest, _ exchange: Exchange, _ response: TransportResponse?) {
        state.withLock { state in
            state.inspector.note(exchange, request: request, response: response)
            keepAges(&state)
        }
        viewers.signal()
    }

    /// APNs has given the app a new token.
    func noteToken() {
        let now = world.now()
        state.withLock { state in
            state.inspector.noteToken(at: now)
            keepAges(&state)
        }
    }

    /// The server has all of the contact record.
    func nothingPends() {
        state.withLock { $0.inspector.nothingPends() }
    }

    /// The app was deleted together with its tokens.
    func forgetTokens() {
        state.withLock { $0.inspector.forgetTokens() }
    }

    /// The app's process starts. The app keeps its tokens of a former run, so their ages are read from disk.
    func appStarted() {
        let now = world.now()
        state.withLock { state in
            state.isAppRunning = true
            guard state.keptAges == nil else { return }
            let former = agesFile.read(now: now)
            state.keptAges = former
            state.inspector.restore(former)
        }
    }

    /// The app's process has ended. Later notes are not stored, because the app's files may be deleted.
    func appStopped() {
        state.withLock { $0.isAppRunning = false }
    }

    private func keepAges(_ state: inout State) {
        let ages = state.inspector.tokens
        guard state.isAppRunning, ages != state.keptAges else { return }
        do {
            try agesFile.write(ages)
        } catch {
            state.inspector.note(
                .trouble,
                "The ages of the tokens could not be stored: a restarted phone does not know them.",
                at: clock.now
            )
        }
        state.keptAges = ages
    }
}

extension PhoneNotes: AppObserver {
    func note(_ kind: Inspector.Line.Kind, _ text: String) {
        let now = clock.now
        state.withLock { $0.inspector.note(kind, text, at: now) }
        viewers.signal()
    }

    func noteEdit(of part: String) {
        let now = world.now()
        state.withLock { $0.inspector.noteEdit(of: part, at: now) }
    }

    func noteDecision(_ decision: InAppDecisionReport) {
        let now = clock.now
        state.withLock { $0.inspector.note(decision, at: now) }
        viewers.signal()
    }

    func appChanged() {
        viewers.signal()
    }
}
