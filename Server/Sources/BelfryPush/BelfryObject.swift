import BelfryModel

/// The `belfry` object of a payload: by it the SDK knows our pushes, and what an open or a button means.
struct BelfryObject: Encodable {
    static let key = "belfry"

    let sid = PayloadGap.messageID.marker
    let to = PayloadGap.recipient.marker
    let campaign: String
    let action: NotificationAction?
    let image: String?
    let buttons: [NotificationButton]?

    /// - Parameter bearsImage: whether the app fetches the image itself, as on Apple's systems; the other services have
    ///   a place of their own for it.
    init(_ content: PushContent, style: PushStyle, campaign: CampaignID, bearsImage: Bool) {
        self.campaign = campaign.description
        let isSeen = style == .alert
        action = isSeen ? content.action : nil
        image = isSeen && bearsImage ? content.imageUrl : nil
        buttons = isSeen && content.buttons?.isEmpty == false ? content.buttons : nil
    }
}
