import BelfryModel
import BelfryServerModel
import Foundation

/// The requests of one campaign to browsers' push services (RFC 8030). The common parts are made once, and the rest is
/// filled in, encrypted and addressed per recipient.
package struct WebPushRequestTemplate: PushRequestTemplate {
    package let payload: WebPushPayloadTemplate
    private let content: PushContent
    private let expiresAt: Date
    private let urgency: HeaderField
    private let topic: HeaderField

    /// - Parameter expiresAt: the launch of the campaign plus the content's time to live.
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
    /// - Parameter authorization: the value of a ``VAPIDToken`` for that push service.
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
    ///   - texts: the content's templates rendered for this recipient, by the number of their placeholder.
    ///   - badge: the recipient's badge, if the push changes badges.
    ///   - now: the time from which the push service counts the time to live.
    ///   - keys: made for this request only.
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

    /// The urgency (RFC 8030 §5.3). A push that shows nothing is never urgent.
    private static func urgency(of content: PushContent, style: PushStyle) -> String {
        switch content.priority {
        case 1: "low"
        case 5: "normal"
        default: style == .alert ? "high" : "normal"
        }
    }
}
