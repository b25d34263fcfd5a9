import Foundation

/// What the operating system says about pushes, kept apart from the app's own switch (REG-1).
extension SyncEngine {
    /// Asks the platform; a change that was made in the system's settings is sent by itself (REG-5, REG-31).
    ///
    /// - Returns: whether pushes are allowed now and were not before.
    @discardableResult
    func readPermission() async throws(BelfryError) -> Bool {
        guard let permission = await platform.pushPermission() else { return false }
        var draft = try begun()
        guard draft.state.privacy.rest == nil else { return false }
        let former = draft.state.record
        draft.state.record.take(permission)
        guard draft.state.record != former else { return false }
        draft.noticeRecord(now: environment.now())
        try commit(draft)
        waker.wake()
        return permission == .granted
    }
}
