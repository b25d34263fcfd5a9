import BelfryModel
import BelfryServerModel
import Foundation

/// The requests of one campaign to APNs. The common parts are made once, and the rest is filled in per recipient.
package struct APNsRequestTemplate: PushRequestTemplate {
    package let payload: APNsPayloadTemplate
    private let pushType: HeaderField
    private let priority: HeaderField
    private let collapseID: HeaderField
    private let expiration: HeaderField

    /// - Parameter expiresAt: the launch of the campaign plus the content's time to live.
    package init(
        content: PushContent, style: PushStyle = .alert, extras: PushExtras = .none, format: PushFormat = .belfry,
        campaign: CampaignID?, expiresAt: Date
    ) throws(PushRequestError) {
        payload = try APNsPayloadTemplate(
            content: content, style: style, extras: extras, format: format, campaign: campaign
        )
        pushType = HeaderField("apns-push-type", style == .silent ? "background" : "alert")
        priority = HeaderField("apns-priority", Self.priority(of: content, style: style))
        collapseID = HeaderField("apns-collapse-id", CollapseID.text(of: content, campaign: campaign))
        expiration = HeaderField("apns-expiration", Self.expiration(of: content, expiresAt: expiresAt))
    }

    /// The header fields that the requests of one batch share.
    package func commonHeaders(credentials: APNsCredentials, providerToken: String) -> CommonHeaders {
        CommonHeaders([
            HeaderField("authorization", "bearer \(providerToken)"),
            HeaderField("apns-topic", credentials.topic),
            pushType,
            priority,
        ])
    }

    /// The request for one recipient.
    ///
    /// - Parameters:
    ///   - token: the device's push token.
    ///   - recipient: the ``RecipientTag``.
    ///   - texts: the content's templates rendered for this recipient, by the number of their placeholder.
    ///   - badge: the recipient's badge, if the push changes badges.
    package func request(
        token: String,
        message: MessageID,
        recipient: String,
        texts: [String] = [],
        badge: Badge? = nil,
        common: CommonHeaders
    ) throws(PushRequestError) -> PushRequest {
        guard let path = APNsDevicePath.path(for: token) else { throw .tokenMalformed }
        let sid = message.text
        return PushRequest(
            path: path,
            common: common,
            fields: [HeaderField("apns-id", sid), collapseID, expiration],
            body: try payload.payload(sid: sid, recipient: recipient, texts: texts, badge: badge)
        )
    }

    /// APNs rejects a background push of priority 10, and a badge alone is not worth waking a device for.
    private static func priority(of content: PushContent, style: PushStyle) -> String {
        let known = style == .alert ? [1, 5, 10] : [1, 5]
        let standard = style == .alert ? 10 : 5
        return String(content.priority.flatMap { known.contains($0) ? $0 : nil } ?? standard)
    }

    /// The expiration in seconds since 1970; 0 tells APNs to try once and store nothing.
    private static func expiration(of content: PushContent, expiresAt: Date) -> String {
        if let ttl = content.ttlSeconds, ttl <= 0 { return "0" }
        // Readers of the header disagree about numbers of more than 32 bits.
        let seconds = min(max(expiresAt.timeIntervalSince1970.rounded(.up), 1), Double(UInt32.max))
        return String(Int64(seconds))
    }
}

/// The `:path` of a request for one device token.
enum APNsDevicePath {
    /// The maximum length in characters. Apple's tokens are 64 hexadecimal digits today, and Apple asks not to rely on
    /// it.
    static let maximumTokenLength = 512

    /// Nil when the token is too long to be valid. Any other text that a device has sent is percent-encoded, so that it
    /// cannot break the request, and APNs judges it.
    static func path(for token: String) -> String? {
        guard (1...maximumTokenLength).contains(token.utf8.count) else { return nil }
        guard !isPlain(token) else { return prefix + token }
        var path = Array(prefix.utf8)
        for byte in token.utf8 {
            if byte.isASCIIAlphanumeric {
                path.append(byte)
            } else {
                let (high, low) = byte.hexDigits
                path.append(contentsOf: [UInt8(ascii: "%"), high, low])
            }
        }
        return String(decoding: path, as: UTF8.self)
    }

    /// Reads the bytes in place, because a campaign checks the token of each recipient.
    private static func isPlain(_ token: String) -> Bool {
        var token = token
        return token.withUTF8 { bytes in bytes.allSatisfy { $0.isASCIIAlphanumeric } }
    }

    private static let prefix = "/3/device/"
}
