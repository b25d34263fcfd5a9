import Belfry
import BelfryModel
import Foundation

// The calls of document 001, by the words of this SDK (MC-1, MC-6, MC-9, BADGE-2 to BADGE-4, ENG-1 to ENG-3).
#if canImport(ObjectiveC)
    @objc
#endif
extension BLFClient {
    /// Turns the message center on or off. Off removes all fetched messages from the device.
    public func setMessageCenterEnabled(_ isEnabled: Bool, completion: Completion? = nil) {
        perform(completion) { client in try await client.setMessageCenterEnabled(isEnabled) }
    }

    /// Whether the message center is on.
    public func isMessageCenterEnabled(completion: @escaping @Sendable (Bool, NSError?) -> Void) {
        deliver({ isEnabled, error in completion(isEnabled ?? false, error) }) { client in
            try await client.isMessageCenterEnabled
        }
    }

    /// The messages of a center as the device has them, newest first. It never waits for the network.
    ///
    /// - Parameters:
    ///   - messageCenter: the center's name; nil for the primary one.
    ///   - completion: gets the messages and, beside them, the error of the last fetch if it failed.
    public func fetchMessages(
        forMessageCenter messageCenter: String?, completion: @escaping @Sendable ([BLFMessage], NSError?) -> Void
    ) {
        deliver({ (list: MessageCenterMessages?, error: NSError?) in
            completion(list?.map { BLFMessage($0) } ?? [], error ?? list?.error.map(Self.fetchError))
        }) { client in
            try await client.messages(in: messageCenter ?? MessageCenterName.primary.rawValue)
        }
    }

    /// Fetches all message centers now.
    public func refreshMessageCenters(completion: Completion? = nil) {
        perform(completion) { client in try await client.refreshMessageCenters() }
    }

    /// The rich content of a message, as HTML: from the server the first time, then from the device.
    public func fetchRichContent(
        forMessage messageID: String, completion: @escaping @Sendable (String?, NSError?) -> Void
    ) {
        deliver(completion) { client in try await client.richContent(for: messageID) }
    }

    /// The message of a push; nil when the person has none.
    public func fetchMessage(forPush push: BLFPush, completion: @escaping @Sendable (BLFMessage?, NSError?) -> Void) {
        deliver({ (message: MessageCenterMessage??, error: NSError?) in
            completion((message ?? nil).map { BLFMessage($0) }, error)
        }) { client in
            try await client.message(for: push.push)
        }
    }

    /// Marks a message as read.
    public func markRead(_ messageID: String, completion: Completion? = nil) {
        perform(completion) { client in try await client.markRead(messageID) }
    }

    /// Deletes a message.
    public func deleteMessage(_ messageID: String, completion: Completion? = nil) {
        perform(completion) { client in try await client.delete(messageID) }
    }

    /// Sets the badge, first on the server; on any error it stays as it is.
    public func setBadgeCount(_ count: Int, completion: Completion? = nil) {
        perform(completion) { client in try await client.setBadgeCount(count) }
    }

    /// Removes the badge and the app's notifications.
    public func resetBadgeCount(completion: Completion? = nil) {
        perform(completion) { client in try await client.resetBadgeCount() }
    }

    /// The badge as server and device last agreed on it.
    public func getBadgeCount(completion: @escaping @Sendable (Int, NSError?) -> Void) {
        deliver({ count, error in completion(count ?? 0, error) }) { client in try await client.badgeCount }
    }

    /// The view of the message center appears.
    public func messageCenterViewWillAppear() {
        client.messageCenterViewWillAppear()
    }

    /// The view of the message center disappears.
    public func messageCenterViewWillDisappear() {
        client.messageCenterViewWillDisappear()
    }

    /// A message is shown in a list; it counts once for each appearance of the view.
    public func trackMessageCenterDisplay(_ messageID: String) {
        client.trackMessageCenterDisplay(messageID)
    }

    /// A message is opened.
    public func trackMessageCenterOpen(_ messageID: String) {
        client.trackMessageCenterOpen(messageID)
    }

    private static func fetchError(_ error: MessageCenterError) -> NSError {
        NSError(domain: MessageCenterError.domain, code: error.numericCode, userInfo: error.errorUserInfo)
    }
}
