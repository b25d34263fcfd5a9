import BelfryModel
import BelfryServerModel

/// The message of one campaign for browsers, before it is encrypted.
///
/// The app's service worker reads it: `notification` is made of the words of the Notifications API, `data` holds the
/// app's own keys, `belfry` is the object that every push of ours has.
package struct WebPushPayloadTemplate: Sendable {
    /// Bytes before encryption: every push service takes 4,096 after it (RFC 8291 §4).
    package static let maximumBytes = WebPushEncryption.maximumPlaintext

    private let template: PayloadTemplate

    package init(
        content: PushContent, style: PushStyle = .alert, extras: PushExtras = .none, campaign: CampaignID?
    ) throws(PushRequestError) {
        let custom = content.custom ?? [:]
        let payload = WebPushPayload(
            notification: style == .alert
                ? .init(content, tag: CollapseID.text(of: content, campaign: campaign)) : nil,
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
    struct Notification: Encodable {
        let title: String
        /// Browsers show none; a service worker may.
        let subtitle: String?
        let body: String
        let image: String?
        /// Of two notifications with the same tag the browser shows the later (PUSH-5).
        let tag: String

        init(_ content: PushContent, tag: String) {
            title = content.title
            subtitle = content.subtitle
            body = content.body
            image = content.imageUrl
            self.tag = tag
        }
    }

    let notification: Notification?
    let data: [String: AttributeValue]?
    let belfry: BelfryObject
}
