import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// A push from Belfry: a value that may cross threads, created from what the system delivers.
///
/// ```swift
/// guard let push = ReceivedPush(userInfo: userInfo) else { return }  // somebody else's
/// try await client.handlePush(push)
/// ```
public struct ReceivedPush: Hashable, Sendable {
    /// A longer id does not belong to a push from Belfry.
    public static let maximumIDLength = 128
    /// A longer `belfry` text does not belong to a push from Belfry; no push service carries more.
    public static let maximumBytes = 65_536

    /// The `belfry` object: id, campaign, recipient tag, action, buttons.
    public let payload: PushPayload
    /// The title to show; nil for a silent push.
    public let title: String?
    /// The text to show; nil for a silent push.
    public let body: String?

    /// - Parameters:
    ///   - payload: the `belfry` object.
    ///   - title: the title to show.
    ///   - body: the text to show.
    /// - Returns: nil when the id is empty or too long.
    public init?(payload: PushPayload, title: String? = nil, body: String? = nil) {
        guard !payload.sid.isEmpty, payload.sid.count <= Self.maximumIDLength else { return nil }
        self.payload = payload
        self.title = title
        self.body = body
    }

    /// Reads what APNs or FCM delivered: the `belfry` object, or its JSON text, next to a notification.
    ///
    /// - Returns: nil without a readable `belfry` object: then the push comes from another sender.
    public init?(userInfo: [AnyHashable: Any]) {
        guard let marker = userInfo[PushPayload.key], let json = Self.json(marker),
            let payload = try? CheckedJSON.decode(PushPayload.self, from: json, maximumBytes: Self.maximumBytes)
        else { return nil }
        let aps = userInfo["aps"] as? [AnyHashable: Any]
        let alert = aps?["alert"] as? [AnyHashable: Any]
        let notification = userInfo["notification"] as? [AnyHashable: Any]
        self.init(
            payload: payload,
            title: alert?["title"] as? String ?? notification?["title"] as? String,
            body: alert?["body"] as? String ?? aps?["alert"] as? String ?? notification?["body"] as? String
        )
    }

    /// Reads the whole payload from its JSON text.
    ///
    /// - Returns: nil when it is not JSON, or the push comes from another sender.
    public init?(json: Data) {
        guard let userInfo = try? CheckedJSON(json, maximumBytes: Self.maximumBytes).tree() as? [String: Any]
        else { return nil }
        self.init(userInfo: userInfo)
    }

    /// The action when the push is opened, or one of its buttons is pressed.
    ///
    /// - Parameter button: the id of the button; nil for the notification itself.
    public func action(button: String? = nil) -> NotificationAction? {
        guard let button else { return payload.action }
        return payload.buttons?.first { $0.id == button }?.action
    }

    /// Whether it shows nothing.
    public var isSilent: Bool {
        title == nil && body == nil
    }

    private static func json(_ marker: Any) -> Data? {
        if let text = marker as? String {
            return text.utf8.count <= maximumBytes ? Data(text.utf8) : nil
        }
        return CheckedJSON.written(marker, maximumBytes: maximumBytes)
    }
}

/// Decides which of Belfry's pushes are accepted at present: a value that can be read without waiting for the engine.
struct PushFilter: Sendable {
    var tags = RecipientTags()
    /// The reference of the contact for whom events are tracked now.
    var reference: String?
    var isResting = false

    /// Why a push is not to be shown, recorded or opened; nil when it is (ID-4, REG-36).
    func dropReason(of push: ReceivedPush) -> PushDropReason? {
        if isResting { return .resting }
        return tags.isFormer(push.payload.to, reference: reference) ? .formerContact : nil
    }
}
