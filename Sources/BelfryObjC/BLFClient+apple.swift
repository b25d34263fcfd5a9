#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
    import Belfry
    import BelfryModel
    import Foundation
    import UserNotifications

    #if canImport(ObjectiveC)
        @objc
    #endif
    extension BLFClient {
        /// Creates a client for this app, on iOS or macOS.
        ///
        /// - Parameters:
        ///   - appCode: the app's code on the server.
        ///   - serverURL: the server's origin.
        ///   - directory: where the client stores; nil for the app's standard directory.
        @available(iOSApplicationExtension, unavailable)
        public convenience init(appCode: String, serverURL: URL, directory: URL?) throws {
            let configuration = try BelfryConfiguration(
                appCode: appCode, serverURL: serverURL,
                directory: directory ?? BelfryConfiguration.standardDirectory()
            )
            self.init(try BelfryClient(configuration: configuration, platform: ApplePlatform()))
        }

        #if !os(tvOS)
            /// Forwards `application:didRegisterForRemoteNotificationsWithDeviceToken:`.
            public func didRegisterForRemoteNotifications(deviceToken: Data) {
                client.didRegisterForRemoteNotifications(deviceToken: deviceToken)
            }

            /// Forwards `application:didFailToRegisterForRemoteNotificationsWithError:`.
            public func didFailToRegisterForRemoteNotifications(error: any Error) {
                client.didFailToRegisterForRemoteNotifications(error: error)
            }

            /// Forwards `userNotificationCenter:willPresentNotification:withCompletionHandler:`.
            public func willPresent(
                _ notification: UNNotification,
                completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
            ) {
                client.willPresent(notification, completionHandler: completionHandler)
            }

            /// Forwards `userNotificationCenter:didReceiveNotificationResponse:withCompletionHandler:`.
            ///
            /// - Returns: the push whose action the app should carry out; nil for none.
            @discardableResult
            public func didReceive(
                _ response: UNNotificationResponse, completionHandler: @escaping @Sendable () -> Void
            ) -> BLFPush? {
                let userInfo = response.notification.request.content.userInfo
                guard let answered = client.didReceive(response, completionHandler: completionHandler) else {
                    return nil
                }
                return answered.action == nil ? nil : BLFPush(userInfo: userInfo)
            }

            /// Asks the person for permission to send pushes.
            public func requestPushPermission(completion: @escaping @Sendable (Bool, NSError?) -> Void) {
                deliver({ isGranted, error in completion(isGranted ?? false, error) }) { client in
                    try await client.requestPushPermission()
                }
            }
        #endif
    }
#endif
