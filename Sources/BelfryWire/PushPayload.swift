import BelfryModel

/// The `belfry` object of a push (push payload of the device API): the marker by which the SDK knows its own.
public struct PushPayload: Hashable, Sendable, Codable {
    public static let key = "belfry"

    /// One per campaign and device.
    public var sid: String
    public var campaign: String?
    /// The recipient mark (ID-4).
    public var to: String?
    public var action: NotificationAction?
    public var buttons: [NotificationButton]?
    public var image: String?

    public init(
        sid: String,
        campaign: String? = nil,
        to: String? = nil,
        action: NotificationAction? = nil,
        buttons: [NotificationButton]? = nil,
        image: String? = nil
    ) {
        self.sid = sid
        self.campaign = campaign
        self.to = to
        self.action = action
        self.buttons = buttons
        self.image = image
    }
}
