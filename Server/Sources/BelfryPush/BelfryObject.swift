import BelfryModel

/// The `belfry` object of a payload: by it the SDK knows our pushes, and what an open or a button means.
struct BelfryObject: Encodable {
    static let key = "belfry"
    /// The word for the message centres among what is to be fetched.
    static let messageCenterSync = "messageCenter"

    let sid = PayloadGap.messageID.marker
    let to = PayloadGap.recipient.marker
    let campaign: String
    let action: NotificationAction?
    let image: String?
    let buttons: [NotificationButton]?
    /// What the device is to fetch.
    let sync: [String]?
    let badge: BadgeGaps?

    /// - Parameter bearsImage: whether the app fetches the image itself, as on Apple's systems; the other services have
    ///   a place of their own for it.
    init(_ content: PushContent, style: PushStyle, extras: PushExtras, campaign: CampaignID, bearsImage: Bool) {
        self.campaign = campaign.description
        sync = extras.keepsMessage ? [Self.messageCenterSync] : nil
        badge = extras.changesBadge ? BadgeGaps() : nil
        let isSeen = style == .alert
        action = isSeen ? content.action : nil
        image = isSeen && bearsImage ? content.imageUrl : nil
        buttons = isSeen && content.buttons?.isEmpty == false ? content.buttons : nil
    }
}
