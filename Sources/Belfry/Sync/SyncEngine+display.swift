import BelfryModel
import BelfryRules
import Foundation

/// The sessions of the message centre's view (ENG-1, ENG-2).
extension SyncEngine {
    func centerAppeared() throws(BelfryError) {
        var draft = try begun()
        guard draft.state.privacy.takesEvents else { return }
        draft.state.display.appeared(
            at: environment.now(),
            newID: environment.makeUUID().uuidString,
            timeout: configuration.sessionTimeout
        )
        try commit(draft)
    }

    /// Ends the session; what was displayed leaves at once.
    func centerDisappeared() throws(BelfryError) {
        var draft = try begun()
        guard draft.state.privacy.rest == nil else { return }
        draft.state.display.ended()
        draft.state.sync.uploads.requestFlush()
        try commit(draft)
        waker.wake()
    }

    /// Counts a display once in a session; the event and the memory of it are one transaction.
    func trackDisplay(of message: String) throws(BelfryError) {
        try EventRecorder.check(message)
        var draft = try begun()
        guard draft.state.privacy.takesEvents else { return }
        let now = environment.now()
        let newID = environment.makeUUID().uuidString
        guard let id = draft.state.display.displayed(message, at: now, newID: newID) else { return }
        draft.change.events.append(try recorder.display(of: message, id: id, at: now))
        try commit(draft)
        waker.wake()
    }
}
