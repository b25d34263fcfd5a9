import BelfryRules
import Foundation

/// The seconds that a system grants to an app that is not shown (EVT-2, PUSH-23).
extension SyncEngine {
    /// A silent push woke the app: sends what waits, as far as the time allows, without making the caller wait for it.
    /// What does not leave is stored and leaves when the app is shown.
    ///
    /// A process that was shown before counts from now on as one that was not, until it is shown again: a push to
    /// everybody must not make every device register (REG-3).
    func flushInBackground() async throws(BelfryError) {
        if appState == .background { appState = .backgroundWake }
        let time = await platform.backgroundTime?.begin()
        defer { endBackgroundTime(time) }
        try requestFlush()
    }

    /// Lets the system suspend the app once there is nothing left to send. It does not wait for that itself: who tells
    /// of the background must be heard when it tells that the app is back.
    func endBackgroundTime(_ id: BackgroundTimeID?) {
        guard let id, let time = platform.backgroundTime else { return }
        Task {
            await settled()
            await time.end(id)
        }
    }
}
