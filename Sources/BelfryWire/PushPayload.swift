import BelfryModel

/// The `belfry` object of a push (push payload of the device API): the marker by which the SDK recognises its own.
public struct PushPayload: Hashable, Sendable, Codable {
    public static let key = "belfry"

    /// One per campaign and device.
    public var sid: String
    public var campaign: String?
    /// The recipient tag (ID-4).
    public var to: String?
    public var action: NotificationAction?
    public var buttons: [NotificationButton]?
    public var image: String?
    /// What the device must fetch: `messageCenter` (MC-4), `inApp` (IAM-3).
    public var sync: [String]?
    /// The number on the app's icon after this push (BADGE-5).
    public var badge: Badge?
    /// A re-installed app sends it back to take its anonymous contact back (REG-23).
    public var nonce: String?

    /// The word in ``sync`` for the message centers.
    public static let messageCenterSync = "messageCenter"
    /// The word in ``sync`` for the in-app messages.
    public static let inAppSync = "inApp"

    public init(
        sid: String,
        campaign: String? = nil,
        to: String? = nil,
        action: NotificationAction? = nil,
        buttons: [NotificationButton]? = nil,
        image: String? = nil,
        sync: [String]? = nil,
        badge: Badge? = nil,
        nonce: String? = nil
    ) {
        self.sid = sid
        self.campaign = campaign
        self.to = to
        self.action = action
        self.buttons = buttons
        self.image = image
        self.sync = sync
        self.badge = badge
        self.nonce = nonce
    }
}
