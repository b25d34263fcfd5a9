import Foundation
import Synchronization

/// The system of a phone, which the phone's parts share: each reads it, and changes it in one step. What of it outlives
/// the phones' program is on the disk as soon as it changes.
final class PhoneSystemStore: Sendable {
    private struct State {
        var system: PhoneSystem
        /// What is on the disk of it.
        var kept: PhoneSystem.Kept
    }

    private let state: Mutex<State>
    private let file: PhoneSystemFile
    private let notes: PhoneNotes

    /// The phone is switched on, with what it had stored.
    ///
    /// - Parameter folder: of the app's files.
    init(folder: URL, notes: PhoneNotes, now: Date) {
        let file = PhoneSystemFile(folder: folder)
        var kept = PhoneSystem.Kept()
        do {
            if let former = try file.read(now: now) { kept = former }
        } catch {
            notes.note(.trouble, "The stored data of the phone's system cannot be read: the phone starts without it.")
        }
        state = Mutex(State(system: PhoneSystem(kept), kept: kept))
        self.file = file
        self.notes = notes
    }

    var current: PhoneSystem { state.withLock { $0.system } }

    /// - Parameter edit: runs under a lock: it asks nobody else.
    /// - Returns: what the edit returns.
    func change<Answer: Sendable>(_ edit: (inout PhoneSystem) -> Answer) -> Answer {
        let (answer, isKept) = state.withLock { state -> (Answer, Bool) in
            let answer = edit(&state.system)
            return (answer, keep(&state))
        }
        if !isKept { noteFailure() }
        return answer
    }

    /// Nothing of it is on the disk any more: the files of the app are gone, and it was beside them.
    func keepAnew() {
        let isKept = state.withLock { state -> Bool in
            state.kept = PhoneSystem.Kept()
            return keep(&state)
        }
        if !isKept { noteFailure() }
    }

    /// - Returns: false when what has changed could not be stored.
    private func keep(_ state: inout State) -> Bool {
        let kept = state.system.kept
        guard kept != state.kept else { return true }
        state.kept = kept
        do {
            try file.write(kept)
            return true
        } catch {
            return false
        }
    }

    private func noteFailure() {
        notes.note(
            .trouble,
            "The phone's system could not store its data: a restarted phone does not have it."
        )
    }
}
