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

/// Header fields that many requests share (authorization, topic, push type), made once and used for each of them.
package final class CommonHeaders: Sendable {
    package let fields: [HeaderField]

    package init(_ fields: [HeaderField]) {
        self.fields = fields
    }
}

/// One `POST` to a push service, independent of the connection.
package struct PushRequest: Sendable {
    package var path: String
    package var common: CommonHeaders
    /// The fields that differ between requests: `apns-id`, `apns-collapse-id`, `apns-expiration`.
    package var fields: [HeaderField]
    package var body: [UInt8]

    package init(path: String, common: CommonHeaders, fields: [HeaderField], body: [UInt8]) {
        self.path = path
        self.common = common
        self.fields = fields
        self.body = body
    }
}

/// The response of a push service. `body` has at most the first 8 KiB.
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

/// How one request ended: with a response, unprocessed, or without a response.
package enum PushResult: Sendable {
    case answered(PushResponse)
    /// The push service did not process the request (no connection, refused stream, above a GOAWAY's last stream), so
    /// it may be sent again immediately. The reason is static text.
    case notProcessed(reason: String)
    /// The request was sent and no response came (time-out, lost connection): the push service may have processed it.
    case unanswered(reason: String)
}

/// The requests of one content to one push service. The common parts are made once, and the rest is filled in per
/// recipient.
package protocol PushRequestTemplate: Sendable {
    /// - Parameter expiresAt: the launch of the campaign plus the content's time to live.
    init(
        content: PushContent, style: PushStyle, extras: PushExtras, format: PushFormat, campaign: CampaignID?,
        expiresAt: Date
    ) throws(PushRequestError)
}

/// The reason why a request was not made: a request that a push service would reject is not sent.
package enum PushRequestError: Error, Hashable, Sendable {
    case payloadTooLarge(bytes: Int)
    /// The token or subscription cannot be valid.
    case tokenMalformed
    /// The content has a value that JSON cannot express, such as an infinite number, or a placeholder without a text.
    case contentNotEncodable

    /// The same outcome as if the push service had responded.
    package var outcome: PushOutcome {
        switch self {
        case .payloadTooLarge: .payloadError(reason: DeliveryReason.payloadTooLarge.rawValue)
        case .tokenMalformed: .tokenMalformed(reason: DeliveryReason.malformedToken.rawValue)
        case .contentNotEncodable: .payloadError(reason: DeliveryReason.contentNotEncodable.rawValue)
        }
    }
}
