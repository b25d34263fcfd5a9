#if canImport(UIKit) && !os(watchOS)
    import UIKit

    /// The seconds that iOS grants after the app left the screen, with one assertion for each time that it left
    /// (EVT-2).
    @available(iOSApplicationExtension, unavailable)
    @MainActor
    final class BackgroundAssertions: BackgroundTime {
        private var held: [BackgroundTimeID: UIBackgroundTaskIdentifier] = [:]
        /// The assertions that began when the app left the screen, in order, until they are requested; nil where none
        /// was granted.
        private var leaves: [BackgroundTimeID?] = []
        private var numbers = 0

        nonisolated init() {}

        /// The app leaves the screen. The assertion begins at once, because the system may suspend the app as soon as
        /// its notification was handled.
        func hold() {
            leaves.append(assertion())
        }

        func begin() async -> BackgroundTimeID? {
            assertion()
        }

        func begunByPlatform() async -> BackgroundTimeID? {
            leaves.isEmpty ? nil : leaves.removeFirst()
        }

        func end(_ id: BackgroundTimeID) async {
            release(id)
        }

        private func assertion() -> BackgroundTimeID? {
            numbers += 1
            let id = BackgroundTimeID(numbers)
            let assertion = UIApplication.shared.beginBackgroundTask(withName: "belfry.flush") { [weak self] in
                // The time is over; the system kills an app that does not give it back. Unsent data stays stored.
                self?.release(id)
            }
            guard assertion != .invalid else { return nil }
            held[id] = assertion
            return id
        }

        private func release(_ id: BackgroundTimeID) {
            guard let assertion = held.removeValue(forKey: id) else { return }
            UIApplication.shared.endBackgroundTask(assertion)
        }
    }
#endif
