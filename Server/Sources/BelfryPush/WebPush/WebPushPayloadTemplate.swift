import BelfryModel
import BelfryServerModel

/// The message of one campaign for browsers, before it is encrypted.
///
/// It supports both ways in which browsers show a push (WEB-4). The app's service worker reads `notification` (with the
/// names of the Notifications API), `data` (the app's own keys) and `belfry` (the object in every push of Belfry). A
/// browser with Declarative Web Push (Push API, "declarative push message") shows `notification` by itself if the
/// worker does not.
package struct WebPushPayloadTemplate: Sendable {
    /// The maximum size in bytes before encryption: every push service accepts 4,096 after it (RFC 8291 §4).
    package static let maximumBytes = WebPushEncryption.maximumPlaintext

    private let template: PayloadTemplate

    package init(
        content: PushContent, style: PushStyle = .alert, extras: PushExtras = .none, campaign: CampaignID?
    ) throws(PushRequestError) {
        let custom = content.custom ?? [:]
        let isSeen = style == .alert
        let payload = WebPushPayload(
            version: isSeen ? WebPushPayload.declarative : nil,
            mutable: isSeen ? true : nil,
            notification: isSeen
                ? .init(content, tag: CollapseID.text(of: content, campaign: campaign), campaign: campaign) : nil,
            badge: isSeen && extras.changesBadge ? BadgePlaceholders.count : nil,
            data: custom.isEmpty ? nil : custom,
            belfry: BelfryObject(content, style: style, extras: extras, campaign: campaign, bearsImage: false)
        )
        template = PayloadTemplate(try PayloadJSON.encode(payload))
    }

    /// The message for one recipient.
    package func payload(
        sid: String, recipient: String, texts: [String], badge: Badge?
    ) throws(PushRequestError) -> [UInt8] {
        try template.fill(
            PayloadFilling(sid: sid, recipient: recipient, texts: texts, badge: badge), atMost: Self.maximumBytes
        )
    }

    /// The size in bytes of each recipient's message before encryption, without the recipient's texts, known before any
    /// message is made.
    package var size: Int { template.size(.blank) }
}

private struct WebPushPayload: Encodable {
    enum CodingKeys: String, CodingKey {
        case version = "web_push"
        case badge = "app_badge"
        case mutable, notification, data, belfry
    }

    /// The number of the RFC, which distinguishes a declarative push message from other JSON.
    static let declarative = 8_030

    let version: Int?
    /// True: the service worker gets the notification first, and may show another.
    let mutable: Bool?
    let notification: WebPushNotification?
    let badge: String?
    let data: [String: AttributeValue]?
    let belfry: BelfryObject
}

/// The notification that people see, with the names of the Notifications API.
private struct WebPushNotification: Encodable {
    /// A button, and the address for a browser without a service worker.
    struct Action: Encodable {
        let action: String
        let title: String
        let navigate: String

        init(_ button: NotificationButton) {
            action = button.id
            title = button.text
            navigate = WebPushNotification.address(of: button.action)
        }
    }

    /// Data that accompanies the notification, because a declarative browser gives its worker nothing else.
    struct Own: Encodable {
        struct Names: Encodable {
            let campaign: String?
            let sid = PayloadPlaceholder.messageID.marker
            let to = PayloadPlaceholder.recipient.marker
        }

        let belfry: Names
    }

    let title: String
    /// The subtitle, which browsers do not show but a service worker may.
    let subtitle: String?
    let body: String
    let image: String?
    /// The browser replaces a notification by a later one with the same tag (PUSH-5).
    let tag: String
    /// The address that a tap opens.
    let navigate: String
    let actions: [Action]?
    let data: Own

    init(_ content: PushContent, tag: String, campaign: CampaignID?) {
        title = content.title
        subtitle = content.subtitle
        body = content.body
        image = content.imageUrl
        self.tag = tag
        navigate = Self.address(of: content.action)
        let buttons = content.buttons ?? []
        actions = buttons.isEmpty ? nil : buttons.map(Action.init)
        data = Own(belfry: .init(campaign: campaign?.description))
    }

    /// The address of the action; if there is none, the site's first page, which a browser resolves by the site of its
    /// subscription.
    static func address(of action: NotificationAction?) -> String {
        guard let action, action.type != .launchApp, let url = action.url else { return "/" }
        return url
    }
}
