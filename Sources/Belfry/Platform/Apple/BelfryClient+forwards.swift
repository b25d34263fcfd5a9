#if canImport(UserNotifications) && !os(tvOS)
    import BelfryModel
    import Foundation
    import UserNotifications

    // Calls that only the app receives and forwards, with a line each; nothing is swizzled. Each call returns at once
    // and does its work off the calling thread, in the order of the calls; its errors are in `reports`.
    extension BelfryClient {
        /// Forwards `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`. Whether the token belongs to
        /// Apple's sandbox or to production depends on the build (``BelfryModel/PushEnvironment/ofThisBuild``).
        public func didRegisterForRemoteNotifications(deviceToken: Data) {
            forwarded.add { [self] in
                await reporting(otherwise: ()) { () async throws(BelfryError) -> Void in
                    try await setPushToken(deviceToken, environment: .ofThisBuild)
                }
            }
        }

        /// Forwards `application(_:didFailToRegisterForRemoteNotificationsWithError:)`: the system has no push token at
        /// present, for example without a network. It is reported (``ClientReport/pushRegistrationFailed(_:)``), and
        /// the system is asked again: after a minute, then after twice the time up to an hour, and when the app is
        /// shown. A build that may not receive pushes is asked again only at the next start.
        public func didFailToRegisterForRemoteNotifications(error: any Error) {
            let failure = PushRegistrationFailure(error)
            forwarded.add { [self] in
                await reporting(otherwise: ()) { () async throws(BelfryError) -> Void in
                    try await engine.push.registrationFailed(failure)
                }
            }
        }

        /// Forwards `userNotificationCenter(_:willPresent:withCompletionHandler:)`: a push arrived while the app is
        /// shown. It is recorded as received and displayed, once.
        ///
        /// - Parameters:
        ///   - notification: from Belfry or another sender; another sender's is not recorded.
        ///   - options: how the system shows it.
        ///   - completionHandler: the system's; called once, on the main thread, for every notification. A push for a
        ///     person who used the device before is not shown (ID-4).
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
                    // A push with only a badge has nothing to display.
                    return push.isSilent ? true : try await pushDisplayed(push)
                }
                await MainActor.run { completionHandler(isShown ? options : []) }
            }
        }

        /// Forwards `userNotificationCenter(_:didReceive:withCompletionHandler:)`: the person opened a push, pressed
        /// one of its buttons, or dismissed it. Recorded once.
        ///
        /// - Parameters:
        ///   - response: to a push from Belfry or another sender; another sender's is not recorded.
        ///   - completionHandler: the system's; called once, on the main thread, when the record is durable.
        /// - Returns: the recorded response, with the ``PushResponse/action`` that the app should carry out; nil for
        ///   another sender's push. A push for a person who used the device before, or for an installation that was
        ///   wiped, has no action.
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

        /// Asks the person for permission to send pushes. The system asks once per installation and remembers the
        /// decision. If it is granted, a push token is requested (REG-30).
        ///
        /// - Parameter options: the kinds of notifications; with `.provisional` pushes are shown quietly and the person
        ///   is not asked.
        /// - Returns: whether pushes are permitted now.
        @discardableResult
        public func requestPushPermission(
            _ options: UNAuthorizationOptions = [.alert, .badge, .sound]
        ) async throws(BelfryError) -> Bool {
            // An error means that the app may not show notifications, which counts as denied.
            let answer = try? await UNUserNotificationCenter.current().requestAuthorization(options: options)
            try await setPushPermission(answer == true)
            return answer == true
        }

        /// Reports the work's error, because no caller waits for it.
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
