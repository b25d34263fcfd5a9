#if canImport(UIKit) && !os(watchOS)
    import UIKit

    /// The seconds that iOS grants after the app left the screen, one assertion for each time that it left (EVT-2).
    @available(iOSApplicationExtension, unavailable)
    @MainActor
    final class BackgroundAssertions: BackgroundTime {
        private var held: [BackgroundTimeID: UIBackgroundTaskIdentifier] = [:]
        /// Those that began with the app's leave, in order, as long as nobody asked for them; nil where none was granted.
        private var leaves: [BackgroundTimeID?] = []
        private var numbers = 0

        nonisolated init() {}

        /// The app takes leave. At once, because the system may suspend it as soon as its notification was heard.
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
                // The time is over; who does not give it back is ended by the system. What did not leave is stored.
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
