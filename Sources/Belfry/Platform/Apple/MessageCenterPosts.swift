import Foundation

// Needs only Foundation, so it is the same on every system; ApplePlatform uses it.

extension Notification.Name {
    /// Centers have new messages (MC-11). Posted on the main thread; `MessageCenterUpdate(notification)` reads it, and
    /// its `userInfo` has the names, an array of strings, under this name.
    public static let belfryMessageCenterUpdate = Notification.Name("BelfryMessageCenterUpdate")
    /// A response to a fetch of messages arrived (MC-11). Posted on the main thread;
    /// `MessageCenterResponse(notification)` reads it, and its `userInfo` has the JSON text under this name and the
    /// `URL` under ``MessageCenterResponse/urlKey``.
    public static let belfryMessageCenterResponse = Notification.Name("BelfryMessageCenterResponse")
}

extension MessageCenterUpdate {
    /// Reads a posted notification.
    ///
    /// - Returns: nil for any other notification.
    public init?(_ notification: Notification) {
        guard notification.name == .belfryMessageCenterUpdate,
            let centers = notification.userInfo?[notification.name.rawValue] as? [String]
        else { return nil }
        self.init(centers: centers)
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
            center.post(name: name, object: nil, userInfo: [name.rawValue: update.centers])
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
