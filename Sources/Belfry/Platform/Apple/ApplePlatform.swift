#if canImport(UIKit) && !os(watchOS)
    import BelfryModel
    import Foundation
    import Network
    import UIKit

    /// The device as iOS knows it: lifecycle, network, system properties, and the request for a push token.
    ///
    /// Nothing is swizzled: the app forwards what only it is told, in three lines.
    ///
    /// ```swift
    /// // application(_:didRegisterForRemoteNotificationsWithDeviceToken:)
    /// Task { try await client.setPushToken(deviceToken, environment: .production) }
    /// // userNotificationCenter(_:willPresent:)
    /// if let push = ReceivedPush(notification) { Task { try await client.pushDisplayed(push) } }
    /// // userNotificationCenter(_:didReceive:)
    /// if let response = PushResponse(response) { Task { try await client.handle(response) } }
    /// ```
    @available(iOSApplicationExtension, unavailable)
    public final class ApplePlatform: DevicePlatform {
        private let appVersion: String?

        /// - Parameter appVersion: the app's version, by custom its bundle's `CFBundleShortVersionString`.
        public init(appVersion: String?) {
            self.appVersion = appVersion
        }

        /// The system's own fields of the contact record.
        public func systemProperties() async -> SystemProperties {
            .current(appVersion: appVersion, deviceModel: Self.model)
        }

        /// Whether the app is shown now.
        public func isInForeground() async -> Bool {
            await MainActor.run { UIApplication.shared.applicationState == .active }
        }

        /// What the system's notifications and the network's monitor tell.
        public func events() -> AsyncStream<PlatformEvent> {
            let made = AsyncStream<PlatformEvent>.makeStream(bufferingPolicy: .bufferingNewest(64))
            let observer = SystemObserver(made.continuation)
            observer.begin()
            made.continuation.onTermination = { _ in observer.end() }
            return made.stream
        }

        /// Registers for remote notifications.
        public var pushTokens: (any PushTokenSource)? { AppleTokenSource() }

        /// `iPhone14,2`
        private static var model: String {
            var info = utsname()
            uname(&info)
            return withUnsafeBytes(of: info.machine) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        }
    }

    @available(iOSApplicationExtension, unavailable)
    private struct AppleTokenSource: PushTokenSource {
        func requestPushToken() async {
            await MainActor.run { UIApplication.shared.registerForRemoteNotifications() }
        }
    }

    /// Turns the system's notifications into platform events.
    ///
    // The tokens are written once, before the observer is shared, and read once, at its end.
    private final class SystemObserver: @unchecked Sendable {
        private let continuation: AsyncStream<PlatformEvent>.Continuation
        private let monitor = NWPathMonitor()
        private var tokens: [any NSObjectProtocol] = []

        init(_ continuation: AsyncStream<PlatformEvent>.Continuation) {
            self.continuation = continuation
        }

        func begin() {
            observe(UIApplication.didBecomeActiveNotification, as: .foreground)
            observe(UIApplication.didEnterBackgroundNotification, as: .background)
            observe(.NSSystemTimeZoneDidChange, as: .systemChanged)
            observe(NSLocale.currentLocaleDidChangeNotification, as: .systemChanged)
            monitor.pathUpdateHandler = { [continuation] path in
                continuation.yield(.online(path.status == .satisfied))
            }
            monitor.start(queue: DispatchQueue(label: "belfry.network"))
        }

        func end() {
            for token in tokens { NotificationCenter.default.removeObserver(token) }
            monitor.cancel()
        }

        private func observe(_ name: Notification.Name, as event: PlatformEvent) {
            let center = NotificationCenter.default
            tokens.append(
                center.addObserver(forName: name, object: nil, queue: nil) { [continuation] _ in
                    continuation.yield(event)
                }
            )
        }
    }
#endif
