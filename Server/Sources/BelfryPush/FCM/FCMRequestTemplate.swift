import BelfryModel
import BelfryServerModel
import Foundation

/// The requests of one campaign to FCM HTTP v1. The common parts are made once, and the rest is filled in per
/// recipient.
package struct FCMRequestTemplate: PushRequestTemplate {
    package let payload: FCMPayloadTemplate
    private let content: PushContent
    private let expiresAt: Date

    /// - Parameter expiresAt: the launch of the campaign plus the content's time to live.
    package init(
        content: PushContent, style: PushStyle = .alert, extras: PushExtras = .none, format: PushFormat = .belfry,
        campaign: CampaignID?, expiresAt: Date
    ) throws(PushRequestError) {
        payload = try FCMPayloadTemplate(
            content: content, style: style, extras: extras, format: format, campaign: campaign
        )
        self.content = content
        self.expiresAt = expiresAt
    }

    /// The path to which the messages of a project are sent.
    package static func path(projectID: String) -> String {
        // A project id consists of letters, digits, '-', '.' and ':' (FCMCredentials), all valid in a path.
        "/v1/projects/\(projectID)/messages:send"
    }

    /// The header fields that the requests of one batch share.
    package func commonHeaders(accessToken: String) -> CommonHeaders {
        CommonHeaders([
            HeaderField("authorization", "Bearer \(accessToken)"),
            HeaderField("content-type", "application/json; charset=utf-8"),
        ])
    }

    /// The request for one recipient.
    ///
    /// - Parameters:
    ///   - path: the project's path, from ``path(projectID:)``.
    ///   - token: the device's push token: a registration token or a Firebase installation id.
    ///   - recipient: the ``RecipientTag``.
    ///   - texts: the content's templates rendered for this recipient, by the number of their placeholder.
    ///   - badge: the recipient's badge, if the push changes badges.
    ///   - channel: a notification channel of the app on the device, for a push in a v3 format that names none.
    ///   - now: the time from which FCM counts the time to live.
    package func request(
        path: String,
        token: String,
        message: MessageID,
        recipient: String,
        texts: [String] = [],
        badge: Badge? = nil,
        channel: String? = nil,
        now: Date,
        common: CommonHeaders
    ) throws(PushRequestError) -> PushRequest {
        guard (1...PushToken.maximumLength).contains(token.utf8.count) else { throw .tokenMalformed }
        let body = try payload.payload(
            token: token, sid: message.text, recipient: recipient, texts: texts, badge: badge,
            channel: channel ?? "", timeToLive: TimeToLive.seconds(of: content, expiresAt: expiresAt, now: now)
        )
        return PushRequest(path: path, common: common, fields: [], body: body)
    }
}
