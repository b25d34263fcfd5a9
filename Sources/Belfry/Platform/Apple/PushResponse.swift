#if canImport(UserNotifications) && !os(tvOS)
    import BelfryModel
    import UserNotifications

    extension ReceivedPush {
        /// Reads a delivered notification.
        ///
        /// - Returns: nil when it is another sender's.
        public init?(_ notification: UNNotification) {
            self.init(userInfo: notification.request.content.userInfo)
        }
    }

    /// A person's response to one of Belfry's notifications: a value that may cross threads.
    public struct PushResponse: Hashable, Sendable {
        /// The push of the notification.
        public let push: ReceivedPush
        /// The button that was pressed; nil for the notification itself.
        public let button: String?
        /// Whether it was dismissed, not opened.
        public let isDismissal: Bool
        /// Why it is neither recorded nor has an action: it was for a person who used the device before (ID-4), or came
        /// while the client is suspended (REG-36). It is set by ``BelfryClient/didReceive(_:completionHandler:)``.
        public internal(set) var dropReason: PushDropReason?

        /// Reads the system's response.
        ///
        /// - Returns: nil when the notification is another sender's.
        public init?(_ response: UNNotificationResponse) {
            guard let push = ReceivedPush(response.notification) else { return nil }
            self.push = push
            isDismissal = response.actionIdentifier == UNNotificationDismissActionIdentifier
            let isMain = response.actionIdentifier == UNNotificationDefaultActionIdentifier
            button = isDismissal || isMain ? nil : response.actionIdentifier
        }

        /// The action that the app should carry out; nil for none, and if there is a ``dropReason``. The SDK itself
        /// opens no address.
        public var action: NotificationAction? {
            isDismissal || dropReason != nil ? nil : push.action(button: button)
        }
    }

    extension BelfryClient {
        /// Records a person's response to a notification. It implies that the push was received and displayed; each is
        /// counted once.
        public func handle(_ response: PushResponse) async throws(BelfryError) {
            guard try await arrived(response.push) else { return }
            try await pushDisplayed(response.push)
            if response.isDismissal {
                try await pushDismissed(response.push)
            } else {
                try await pushOpened(response.push, button: response.button)
            }
        }

        /// - Returns: false when it is for a person who used the device before (ID-4); that is reported once.
        func arrived(_ push: ReceivedPush) async throws(BelfryError) -> Bool {
            guard try await engine.push.takes(push) else { return false }
            return try await handlePush(push)
        }
    }
#endif
