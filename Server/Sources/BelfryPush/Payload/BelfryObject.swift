import BelfryModel
import BelfryServerModel

/// The `belfry` object of a payload: by it the SDK knows our pushes, and what an open or a button means.
struct BelfryObject: Encodable {
    static let key = "belfry"
    /// The word for the message centers among what is to be fetched.
    static let messageCenterSync = "messageCenter"
    /// The word for the in-app messages.
    static let inAppSync = "inApp"

    let sid = PayloadPlaceholder.messageID.marker
    let to = PayloadPlaceholder.recipient.marker
    /// None in a push that tells the device to fetch and belongs to no campaign (PUSH-7).
    let campaign: String?
    let action: NotificationAction?
    let image: String?
    let buttons: [NotificationButton]?
    /// What the device is to fetch.
    let sync: [String]?
    let badge: BadgePlaceholders?
    /// What a re-installed app sends back to show that it gets this push.
    let nonce: String?

    /// - Parameter bearsImage: whether the app fetches the image itself, as on Apple's systems; the other services have
    ///   a place of their own for it.
    init(_ content: PushContent, style: PushStyle, extras: PushExtras, campaign: CampaignID?, bearsImage: Bool) {
        self.campaign = campaign?.description
        let words =
            (extras.fetchesInApp ? [Self.inAppSync] : []) + (extras.keepsMessage ? [Self.messageCenterSync] : [])
        sync = words.isEmpty ? nil : words
        badge = extras.changesBadge ? BadgePlaceholders() : nil
        nonce = extras.bringsNonce ? PayloadPlaceholder.text(0).marker : nil
        let isSeen = style == .alert
        action = isSeen ? content.action : nil
        image = isSeen && bearsImage ? content.imageUrl : nil
        buttons = isSeen && content.buttons?.isEmpty == false ? content.buttons : nil
    }
}
