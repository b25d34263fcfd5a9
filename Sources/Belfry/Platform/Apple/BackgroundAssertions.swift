#if canImport(UIKit) && !os(watchOS)
    import UIKit

    /// The seconds that iOS grants after the app left the screen, one assertion for each time that it left (EVT-2).
    @available(iOSApplicationExtension, unavailable)
    @MainActor
    final class BackgroundAssertions: BackgroundTime {
        private var held: [UIBackgroundTaskIdentifier] = []

        nonisolated init() {}

        /// At once, because the system may suspend the app as soon as its notification was heard.
        func hold() {
            let assertion = UIApplication.shared.beginBackgroundTask(withName: "belfry.flush") { [weak self] in
                self?.expire()
            }
            if assertion != .invalid { held.append(assertion) }
        }

        func begin() async {
            hold()
        }

        func end() async {
            guard !held.isEmpty else { return }
            UIApplication.shared.endBackgroundTask(held.removeFirst())
        }

        /// The time is over; who does not give it back is ended by the system. What did not leave is stored (PUSH-23).
        private func expire() {
            let over = held
            held = []
            for assertion in over { UIApplication.shared.endBackgroundTask(assertion) }
        }
    }
#endif
