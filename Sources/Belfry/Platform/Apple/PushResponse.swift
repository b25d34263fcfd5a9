#if canImport(UserNotifications) && !os(tvOS)
    import BelfryModel
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
        /// Why it is neither recorded nor followed: it was meant for a person who used the device before (ID-4), or came
        /// while the client rests (REG-36). ``BelfryClient/didReceive(_:completionHandler:)`` says so.
        public internal(set) var dropReason: PushDropReason?

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

        /// What the app is to do now; nil for nothing, also where there is a ``dropReason``. The SDK itself opens no
        /// address.
        public var action: NotificationAction? {
            isDismissal || dropReason != nil ? nil : push.action(button: button)
        }
    }

    extension BelfryClient {
        /// Records what the person did with a notification. It reached the device and was seen, or nothing could have
        /// been done with it; each is counted once.
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
