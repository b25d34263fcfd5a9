import BelfryModel
import BelfryServerModel

/// The `belfry` object of a payload. By it the SDK recognizes Belfry's pushes and knows what an open or a button does.
struct BelfryObject: Encodable {
    static let key = "belfry"
    /// The value in `sync` for the message centers.
    static let messageCenterSync = "messageCenter"
    /// The value in `sync` for in-app messages.
    static let inAppSync = "inApp"

    let sid = PayloadPlaceholder.messageID.marker
    let to = PayloadPlaceholder.recipient.marker
    /// Nil in a silent push, which tells the device to fetch and belongs to no campaign (PUSH-7).
    let campaign: String?
    let action: NotificationAction?
    let image: String?
    let buttons: [NotificationButton]?
    /// The kinds of data that the device must fetch.
    let sync: [String]?
    let badge: BadgePlaceholders?
    /// A value that a re-installed app sends back to prove that it receives this push.
    let nonce: String?

    /// - Parameter bearsImage: whether the app downloads the image itself, as on Apple's systems. The other services
    ///   have their own member for it.
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
