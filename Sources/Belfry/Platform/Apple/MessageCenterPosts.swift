import Foundation

// Only Foundation is needed, so it is the same on every system; ApplePlatform is who posts.

extension Notification.Name {
    /// Centres have new messages (MC-11). Posted on the main thread; `MessageCenterUpdate(notification)` reads it, and
    /// its `userInfo` has the names, an array of strings, under this very name.
    public static let belfryMessageCenterUpdate = Notification.Name("BelfryMessageCenterUpdate")
    /// A fetch of messages was answered (MC-11). Posted on the main thread; `MessageCenterResponse(notification)` reads
    /// it, and its `userInfo` has the JSON text under this very name and the `URL` under
    /// ``MessageCenterResponse/urlKey``.
    public static let belfryMessageCenterResponse = Notification.Name("BelfryMessageCenterResponse")
}

extension MessageCenterUpdate {
    /// Reads what was posted.
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
    /// Where a posted response has its `URL`.
    public static let urlKey = "BelfryMessageCenterRequestURL"

    /// Reads what was posted.
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

/// Posts to a notification centre what the message centre tells, on the main thread, where views listen.
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
