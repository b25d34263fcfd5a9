#if canImport(UserNotifications) && !os(tvOS)
    import UserNotifications

    extension ReceivedPush {
        /// Reads a delivered notification.
        ///
        /// - Returns: nil when it is somebody else's.
        public init?(_ notification: UNNotification) {
            self.init(userInfo: notification.request.content.userInfo)
        }
    }

    /// What a person did with one of our notifications: a value that may cross threads.
    public struct PushResponse: Hashable, Sendable {
        /// The push that it was about.
        public let push: ReceivedPush
        /// The button that was pressed; nil for the notification itself.
        public let button: String?
        /// It was dismissed, not opened.
        public let isDismissal: Bool

        /// Reads the system's response.
        ///
        /// - Returns: nil when the notification is somebody else's.
        public init?(_ response: UNNotificationResponse) {
            guard let push = ReceivedPush(response.notification) else { return nil }
            self.push = push
            isDismissal = response.actionIdentifier == UNNotificationDismissActionIdentifier
            let isMain = response.actionIdentifier == UNNotificationDefaultActionIdentifier
            button = isDismissal || isMain ? nil : response.actionIdentifier
        }
    }

    extension BelfryClient {
        /// Records what the person did with a notification; counted once.
        public func handle(_ response: PushResponse) async throws(BelfryError) {
            if response.isDismissal {
                try await pushDismissed(response.push)
            } else {
                try await pushOpened(response.push, button: response.button)
            }
        }
    }
#endif
