import Foundation
import Synchronization

/// The state of a phone's system, which the phone's parts read and change atomically. The part that survives a restart
/// of the phones' program is stored on disk at each change.
final class PhoneSystemStore: Sendable {
    private struct State {
        var system: PhoneSystem
        /// The state as stored on disk.
        var kept: PhoneSystem.Kept
    }

    private let state: Mutex<State>
    private let file: PhoneSystemFile
    private let notes: PhoneNotes

    /// Starts the phone with its stored state.
    ///
    /// - Parameter folder: the folder of the app's files.
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

    /// - Parameter edit: runs under a lock, so it must not call other objects.
    /// - Returns: the result of the edit.
    func change<Output: Sendable>(_ edit: (inout PhoneSystem) -> Output) -> Output {
        let (output, isKept) = state.withLock { state -> (Output, Bool) in
            let output = edit(&state.system)
            return (output, keep(&state))
        }
        if !isKept { noteFailure() }
        return output
    }

    /// Stores the state again after the app's files were deleted, because the file was among them.
    func keepAnew() {
        let isKept = state.withLock { state -> Bool in
            state.kept = PhoneSystem.Kept()
            return keep(&state)
        }
        if !isKept { noteFailure() }
    }

    /// - Returns: false when a change could not be stored.
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
