import Foundation

/// The seconds that a system grants to an app that is not shown (EVT-2, PUSH-23).
extension SyncEngine {
    /// Sends what waits, as far as the time allows, without making the caller wait for it. What does not leave is stored
    /// and leaves when the app is shown.
    func flushInBackground() async throws(BelfryError) {
        await platform.backgroundTime?.begin()
        defer { endBackgroundTime() }
        try requestFlush()
    }

    /// Lets the system suspend the app once there is nothing left to send. It does not wait for that itself: who tells
    /// of the background must be heard when it tells that the app is back.
    func endBackgroundTime() {
        guard let time = platform.backgroundTime else { return }
        Task {
            await settled()
            await time.end()
        }
    }
}
