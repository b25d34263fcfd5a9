import BelfryModel
import BelfryServerModel
import Foundation

/// One HTTP/2 header field; the name is in lower case (RFC 9113 §8.2.1).
package struct HeaderField: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Header fields that many requests share (authorization, topic, push type), made once and sent with each of them.
package final class CommonHeaders: Sendable {
    package let fields: [HeaderField]

    package init(_ fields: [HeaderField]) {
        self.fields = fields
    }
}

/// One `POST` to a push service, complete but for the connection that carries it.
package struct PushRequest: Sendable {
    package var path: String
    package var common: CommonHeaders
    /// What differs from request to request: `apns-id`, `apns-collapse-id`, `apns-expiration`.
    package var fields: [HeaderField]
    package var body: [UInt8]

    package init(path: String, common: CommonHeaders, fields: [HeaderField], body: [UInt8]) {
        self.path = path
        self.common = common
        self.fields = fields
        self.body = body
    }
}

/// What the push service answered; `body` holds at most the first 8 KiB.
package struct PushResponse: Sendable {
    package var status: Int
    package var fields: [HeaderField]
    package var body: [UInt8]

    package init(status: Int, fields: [HeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    package subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }
}

/// How one request ended: with an answer, or with the certainty or the doubt that there is none.
package enum PushResult: Sendable {
    case answered(PushResponse)
    /// The push service did not process it (no connection, refused stream, above a GOAWAY's last stream):
    /// it may be sent again at once. The reason is static text.
    case notProcessed(reason: String)
    /// It left, and no answer came (time-out, lost connection): the push service may have processed it.
    case unanswered(reason: String)
}

/// The requests of one content to one push service: what all share is made once; what differs is filled in per
/// recipient.
package protocol PushRequestTemplate: Sendable {
    /// - Parameter expiresAt: the launch of the campaign and the content's time to live after it.
    init(
        content: PushContent, style: PushStyle, extras: PushExtras, format: PushFormat, campaign: CampaignID?,
        expiresAt: Date
    ) throws(PushRequestError)
}

/// Why a request was not made: what a push service would refuse is not sent.
package enum PushRequestError: Error, Hashable, Sendable {
    case payloadTooLarge(bytes: Int)
    /// The token or subscription cannot be one.
    case tokenMalformed
    /// The content has a value that JSON cannot say, such as an infinite number, or a gap without a text.
    case contentNotEncodable

    /// The same consequence as if the push service had answered.
    package var outcome: PushOutcome {
        switch self {
        case .payloadTooLarge: .payloadError(reason: DeliveryReason.payloadTooLarge.rawValue)
        case .tokenMalformed: .tokenMalformed(reason: DeliveryReason.malformedToken.rawValue)
        case .contentNotEncodable: .payloadError(reason: DeliveryReason.contentNotEncodable.rawValue)
        }
    }
}
