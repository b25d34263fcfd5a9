import Foundation

// Needs only Foundation, so it is the same on every system; ApplePlatform uses it.

extension Notification.Name {
    /// The shown message centers have changed (MC-11, MC-17). Posted on the main thread;
    /// `MessageCenterUpdate(notification)` reads it, and its `userInfo` has the names of the centers with new messages,
    /// an array of strings, under this name.
    public static let belfryMessageCenterUpdate = Notification.Name("BelfryMessageCenterUpdate")
    /// A response to a fetch of messages arrived (MC-11). Posted on the main thread;
    /// `MessageCenterResponse(notification)` reads it, and its `userInfo` has the JSON text under this name and the
    /// `URL` under ``MessageCenterResponse/urlKey``.
    public static let belfryMessageCenterResponse = Notification.Name("BelfryMessageCenterResponse")
}

extension MessageCenterUpdate {
    /// The key of ``changedCenters``, an array of strings.
    public static let changedCentersKey = "BelfryMessageCenterChangedCenters"
    /// The key of ``changedMessages``, an array of strings.
    public static let changedMessagesKey = "BelfryMessageCenterChangedMessages"
    /// The key of ``removedMessages``, an array of strings.
    public static let removedMessagesKey = "BelfryMessageCenterRemovedMessages"

    /// Reads a posted notification.
    ///
    /// - Returns: nil for any other notification.
    public init?(_ notification: Notification) {
        guard notification.name == .belfryMessageCenterUpdate,
            let centers = notification.userInfo?[notification.name.rawValue] as? [String]
        else { return nil }
        func names(_ key: String) -> [String] { notification.userInfo?[key] as? [String] ?? [] }
        self.init(
            centers: centers, changedCenters: names(Self.changedCentersKey),
            changedMessages: Set(names(Self.changedMessagesKey)),
            removedMessages: Set(names(Self.removedMessagesKey))
        )
    }
}

extension MessageCenterResponse {
    /// The key of the response's `URL` in the `userInfo`.
    public static let urlKey = "BelfryMessageCenterRequestURL"

    /// Reads a posted notification.
    ///
    /// - Returns: nil for any other notification.
    public init?(_ notification: Notification) {
        guard notification.name == .belfryMessageCenterResponse,
            let text = notification.userInfo?[notification.name.rawValue] as? String,
            let url = notification.userInfo?[Self.urlKey] as? URL
        else { return nil }
        self.init(json: Data(text.utf8), url: url)
    }
}

/// Posts news of the message center to a notification center, on the main thread, where views listen.
struct MessageCenterPosts: MessageCenterListener {
    private let center: NotificationCenter

    init(to center: NotificationCenter) {
        self.center = center
    }

    func centersUpdated(_ update: MessageCenterUpdate) async {
        await MainActor.run {
            let name = Notification.Name.belfryMessageCenterUpdate
            let info: [String: Any] = [
                name.rawValue: update.centers,
                MessageCenterUpdate.changedCentersKey: update.changedCenters,
                MessageCenterUpdate.changedMessagesKey: update.changedMessages.sorted(),
                MessageCenterUpdate.removedMessagesKey: update.removedMessages.sorted(),
            ]
            center.post(name: name, object: nil, userInfo: info)
        }
    }

    func centersAnswered(_ response: MessageCenterResponse) async {
        await MainActor.run {
            let name = Notification.Name.belfryMessageCenterResponse
            let text = String(decoding: response.json, as: UTF8.self)
            let info: [String: Any] = [name.rawValue: text, MessageCenterResponse.urlKey: response.url]
            center.post(name: name, object: nil, userInfo: info)
        }
    }
}
