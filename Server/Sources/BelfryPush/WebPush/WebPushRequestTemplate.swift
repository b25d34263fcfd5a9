import BelfryModel
import BelfryServerModel
import Foundation

/// The requests of one campaign to browsers' push services (RFC 8030): what all share is made once; what differs is
/// filled in, encrypted and addressed per recipient.
package struct WebPushRequestTemplate: PushRequestTemplate {
    package let payload: WebPushPayloadTemplate
    private let content: PushContent
    private let expiresAt: Date
    private let urgency: HeaderField
    private let topic: HeaderField

    /// - Parameter expiresAt: the launch of the campaign and the content's time to live after it.
    package init(
        content: PushContent, style: PushStyle = .alert, extras: PushExtras = .none, format: PushFormat = .belfry,
        campaign: CampaignID?, expiresAt: Date
    ) throws(PushRequestError) {
        payload = try WebPushPayloadTemplate(content: content, style: style, extras: extras, campaign: campaign)
        self.content = content
        self.expiresAt = expiresAt
        urgency = HeaderField("urgency", Self.urgency(of: content, style: style))
        topic = HeaderField("topic", CollapseID.topic(of: content, campaign: campaign))
    }

    /// The header fields that the requests to one push service share.
    ///
    /// - Parameter authorization: of a ``VAPIDToken`` for that push service.
    package func commonHeaders(authorization: String) -> CommonHeaders {
        CommonHeaders([
            HeaderField("authorization", authorization),
            HeaderField("content-encoding", "aes128gcm"),
            HeaderField("content-type", "application/octet-stream"),
            urgency,
        ])
    }

    /// The request for one recipient.
    ///
    /// - Parameters:
    ///   - recipient: the ``RecipientTag``.
    ///   - texts: what the content's templates say to this recipient, by the number of their gap.
    ///   - badge: the recipient's, if the push changes badges.
    ///   - now: the push service counts the time to live from here.
    ///   - keys: made for this request alone.
    package func request(
        subscription: WebPushSubscription,
        message: MessageID,
        recipient: String,
        texts: [String] = [],
        badge: Badge? = nil,
        now: Date,
        keys: EphemeralKeys,
        common: CommonHeaders
    ) throws(PushRequestError) -> PushRequest {
        let plaintext = try payload.payload(sid: message.text, recipient: recipient, texts: texts, badge: badge)
        let timeToLive = TimeToLive.seconds(of: content, expiresAt: expiresAt, now: now)
        return PushRequest(
            path: subscription.path,
            common: common,
            fields: [HeaderField("ttl", String(timeToLive)), topic],
            body: try WebPushEncryption.body(of: plaintext, for: subscription, keys: keys)
        )
    }

    /// RFC 8030 §5.3; what shows nothing is never urgent.
    private static func urgency(of content: PushContent, style: PushStyle) -> String {
        switch content.priority {
        case 1: "low"
        case 5: "normal"
        default: style == .alert ? "high" : "normal"
        }
    }
}
