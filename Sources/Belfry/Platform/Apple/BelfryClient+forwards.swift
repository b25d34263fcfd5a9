#if canImport(UserNotifications) && !os(tvOS)
    import BelfryModel
    import Foundation
    import UserNotifications

    // What only an app is told and forwards, a line each; nothing is swizzled. Each call returns at once and works off
    // the calling thread, in the order of the calls; when it fails there, `reports` tells it.
    extension BelfryClient {
        /// Forwards `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`. Whether the token belongs to
        /// Apple's sandbox or to production is read from the build (``BelfryModel/PushEnvironment/ofThisBuild``).
        public func didRegisterForRemoteNotifications(deviceToken: Data) {
            forwarded.add { [self] in
                await reporting(otherwise: ()) { () async throws(BelfryError) -> Void in
                    try await setPushToken(deviceToken, environment: .ofThisBuild)
                }
            }
        }

        /// Forwards `userNotificationCenter(_:willPresent:withCompletionHandler:)`: a push arrived while the app is
        /// shown. It is recorded as received and displayed, once.
        ///
        /// - Parameters:
        ///   - notification: ours or somebody else's; somebody else's is not recorded.
        ///   - options: how the system is to show it.
        ///   - completionHandler: the system's; called once, on the main thread, whosever the notification is. A push for
        ///     a person who used the device before is not shown (ID-4).
        public func willPresent(
            _ notification: UNNotification,
            showing options: UNNotificationPresentationOptions = [.banner, .list, .sound, .badge],
            completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
        ) {
            let push = ReceivedPush(notification)
            forwarded.add { [self] in
                let isShown = await reporting(otherwise: true) { () async throws(BelfryError) -> Bool in
                    guard let push else { return true }
                    guard try await arrived(push) else { return false }
                    // One with a badge alone shows nothing to look at.
                    return push.isSilent ? true : try await pushDisplayed(push)
                }
                await MainActor.run { completionHandler(isShown ? options : []) }
            }
        }

        /// Forwards `userNotificationCenter(_:didReceive:withCompletionHandler:)`: the person opened a push, pressed one
        /// of its buttons, or dismissed it. Recorded once.
        ///
        /// - Parameters:
        ///   - response: to ours or to somebody else's; somebody else's is not recorded.
        ///   - completionHandler: the system's; called once, on the main thread, when the record is durable.
        /// - Returns: what was done, with the ``PushResponse/action`` that the app is to take; nil for somebody else's. A
        ///   push for a person who used the device before, or for an installation that was wiped, has no action.
        @discardableResult
        public func didReceive(
            _ response: UNNotificationResponse,
            completionHandler: @escaping @Sendable () -> Void
        ) -> PushResponse? {
            var response = PushResponse(response)
            if let push = response?.push { response?.dropReason = dropReasonAtOnce(of: push) }
            forwarded.add { [self, response] in
                if let response {
                    await reporting(otherwise: ()) { () async throws(BelfryError) -> Void in
                        try await handle(response)
                    }
                }
                await MainActor.run { completionHandler() }
            }
            return response
        }

        /// Asks the person for pushes. The system asks once in the life of an installation and remembers the answer;
        /// after a yes a push token is asked for (REG-30).
        ///
        /// - Parameter options: what the app would like to do; `.provisional` shows pushes quietly and asks nobody.
        /// - Returns: whether pushes are allowed now.
        @discardableResult
        public func requestPushPermission(
            _ options: UNAuthorizationOptions = [.alert, .badge, .sound]
        ) async throws(BelfryError) -> Bool {
            // An error means that the system lets this app show nothing, which is a no.
            let answer = try? await UNUserNotificationCenter.current().requestAuthorization(options: options)
            try await setPushPermission(answer == true)
            return answer == true
        }

        /// Nobody waits for the work, so nobody else would hear of its fault.
        private func reporting<Output>(
            otherwise fallback: Output,
            _ work: () async throws(BelfryError) -> Output
        ) async -> Output {
            do throws(BelfryError) {
                return try await work()
            } catch {
                engine.reporter.failed(error)
                return fallback
            }
        }
    }
#endif
