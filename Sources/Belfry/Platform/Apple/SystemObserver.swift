#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
    import Foundation
    import Network

    /// Turns the system's notifications into platform events.
    @available(iOSApplicationExtension, unavailable)
    // Unchecked: the tokens are written once, before the observer is shared, and read once, at its end.
    final class SystemObserver: @unchecked Sendable {
        private let continuation: AsyncStream<PlatformEvent>.Continuation
        private let willTellOfBackground: @MainActor @Sendable () -> Void
        private let monitor = NWPathMonitor()
        private var tokens: [any NSObjectProtocol] = []

        /// - Parameter willTellOfBackground: runs while the system still waits for the app to go to the background.
        init(
            _ continuation: AsyncStream<PlatformEvent>.Continuation,
            willTellOfBackground: @escaping @MainActor @Sendable () -> Void
        ) {
            self.continuation = continuation
            self.willTellOfBackground = willTellOfBackground
        }

        func begin() {
            observe(SystemApplication.didBecomeActive) { [continuation] in
                continuation.yield(.foreground)
            }
            observe(SystemApplication.didLeave) { [continuation, willTellOfBackground] in
                // The system posts it on the main thread; a post from another thread is not the system's.
                if Thread.isMainThread { MainActor.assumeIsolated { willTellOfBackground() } }
                continuation.yield(.background)
            }
            for name in [Notification.Name.NSSystemTimeZoneDidChange, NSLocale.currentLocaleDidChangeNotification] {
                observe(name) { [continuation] in
                    continuation.yield(.systemChanged)
                }
            }
            monitor.pathUpdateHandler = { [continuation] path in
                // A path that first needs a connection gets one when something is sent.
                continuation.yield(.online(path.status != .unsatisfied))
            }
            monitor.start(queue: DispatchQueue(label: "belfry.network"))
        }

        func end() {
            for token in tokens { NotificationCenter.default.removeObserver(token) }
            monitor.cancel()
        }

        private func observe(_ name: Notification.Name, _ happened: @escaping @Sendable () -> Void) {
            let center = NotificationCenter.default
            // Without a queue the block runs on the poster's thread, before the post returns.
            tokens.append(center.addObserver(forName: name, object: nil, queue: nil) { _ in happened() })
        }
    }
#endif
