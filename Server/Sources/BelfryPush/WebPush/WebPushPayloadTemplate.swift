import BelfryModel
import BelfryServerModel

/// The message of one campaign for browsers, before it is encrypted.
///
/// It is valid for both ways in which browsers show a push (WEB-4): the app's service worker reads `notification`, made
/// of the words of the Notifications API, `data`, the app's own keys, and `belfry`, the object that every push of ours
/// has; a browser with Declarative Web Push (Push API, "declarative push message") shows `notification` by itself, if
/// the worker does not.
package struct WebPushPayloadTemplate: Sendable {
    /// Bytes before encryption: every push service takes 4,096 after it (RFC 8291 §4).
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

    /// The bytes of each recipient's message before encryption, known before any is made, but for the texts of
    /// recipients.
    package var size: Int { template.size(.blank) }
}

private struct WebPushPayload: Encodable {
    enum CodingKeys: String, CodingKey {
        case version = "web_push"
        case badge = "app_badge"
        case mutable, notification, data, belfry
    }

    /// Tells a declarative push message from any other JSON: the number of the RFC.
    static let declarative = 8_030

    let version: Int?
    /// The service worker sees the notification first, and may show another.
    let mutable: Bool?
    let notification: WebPushNotification?
    let badge: String?
    let data: [String: AttributeValue]?
    let belfry: BelfryObject
}

/// What people see, in the words of the Notifications API.
private struct WebPushNotification: Encodable {
    /// A button, and where a browser goes that has no worker to ask.
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

    /// What goes along with the notification where a declarative browser gives its worker nothing else.
    struct Own: Encodable {
        struct Names: Encodable {
            let campaign: String?
            let sid = PayloadPlaceholder.messageID.marker
            let to = PayloadPlaceholder.recipient.marker
        }

        let belfry: Names
    }

    let title: String
    /// Browsers show none; a service worker may.
    let subtitle: String?
    let body: String
    let image: String?
    /// Of two notifications with the same tag the browser shows the later (PUSH-5).
    let tag: String
    /// Where a tap goes.
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

    /// The site's own first page where the content names none: a browser reads it by the site of its subscription.
    static func address(of action: NotificationAction?) -> String {
        guard let action, action.type != .launchApp, let url = action.url else { return "/" }
        return url
    }
}
