#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
    import BelfryModel
    import Foundation
    import UserNotifications

    /// The platform for iOS and macOS: lifecycle, network, system properties, the permission for pushes and the request
    /// for a push token, the badge, in-app messages, and the time that iOS grants in the background.
    ///
    /// Nothing is swizzled: the app forwards the calls that only it receives, in three lines. The article
    /// <doc:AddBelfry> shows them in whole apps. A process without a bundle, such as a command-line tool, uses
    /// ``HeadlessPlatform``.
    @available(iOSApplicationExtension, unavailable)
    public final class ApplePlatform: DevicePlatform {
        private let appVersion: String?
        #if canImport(UIKit)
            private let assertions = BackgroundAssertions()
        #endif

        /// - Parameter appVersion: the app's version, usually its bundle's `CFBundleShortVersionString`.
        public init(appVersion: String?) {
            self.appVersion = appVersion
        }

        /// Creates a platform with the app's version from its bundle.
        public convenience init() {
            self.init(appVersion: Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String)
        }

        /// The system's own fields of the contact record.
        public func systemProperties() async -> SystemProperties {
            .current(appVersion: appVersion, deviceModel: DeviceModel.identifier)
        }

        /// Whether the app is shown now.
        public func isInForeground() async -> Bool {
            await SystemApplication.isActive
        }

        /// The person's permission, also if it was changed in the system's settings.
        public func pushPermission() async -> PushPermission? {
            PushPermission(await UNUserNotificationCenter.current().notificationSettings().authorizationStatus)
        }

        /// The events of the system's notifications and of the network monitor.
        public func events() -> AsyncStream<PlatformEvent> {
            let made = AsyncStream<PlatformEvent>.makeStream(bufferingPolicy: .bufferingNewest(64))
            #if canImport(UIKit)
                let observer = SystemObserver(made.continuation) { [assertions] in assertions.hold() }
            #else
                let observer = SystemObserver(made.continuation) {}
            #endif
            observer.begin()
            made.continuation.onTermination = { _ in observer.end() }
            return made.stream
        }

        /// Registers for remote notifications.
        public var pushTokens: (any PushTokenSource)? { AppleTokenSource() }

        /// The number on the app's icon, or on its tile in the Dock.
        public var badge: (any BadgeDisplay)? { AppleBadge() }

        /// Posts to the app's default `NotificationCenter`.
        public var messageCenterListener: (any MessageCenterListener)? { MessageCenterPosts(to: .default) }

        #if canImport(WebKit)
            /// Web views in a window over the app's own, on macOS in a panel over its main window.
            public var inAppPresenter: (any InAppPresenter)? { WebInAppPresenter() }
        #endif

        #if !os(tvOS)
            /// Opens addresses and settings with the system.
            public var linkOpener: (any LinkOpener)? { AppleLinkOpener() }
        #endif

        #if !os(tvOS)
            /// The list of notifications that the system has shown for this app.
            public var deliveredPushes: (any DeliveredPushes)? { AppleDeliveredPushes() }
        #endif

        #if canImport(UIKit)
            /// The seconds that iOS grants after the app left the screen.
            public var backgroundTime: (any BackgroundTime)? { assertions }
        #endif
    }

    @available(iOSApplicationExtension, unavailable)
    private struct AppleTokenSource: PushTokenSource {
        func requestPushToken() async {
            await SystemApplication.registerForRemoteNotifications()
        }
    }

    @available(iOSApplicationExtension, unavailable)
    private struct AppleBadge: BadgeDisplay {
        func shownBadge() async -> Int? { await SystemApplication.shownBadge }

        func showBadge(_ count: Int) async -> Bool {
            do {
                try await UNUserNotificationCenter.current().setBadgeCount(count)
                return true
            } catch {
                return false
            }
        }
    }

    extension PushPermission {
        init(_ status: UNAuthorizationStatus) {
            switch status {
            case .notDetermined: self = .notAsked
            case .denied: self = .denied
            // Authorized; provisional, which is quiet; or ephemeral, as for an app clip.
            default: self = .granted
            }
        }
    }
#endif
