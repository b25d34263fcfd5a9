import BelfryModel

/// Why a request was not made: what a push service would refuse is not sent.
package enum PushRequestFault: Error, Hashable, Sendable {
    case payloadTooLarge(bytes: Int)
    /// The token or subscription cannot be one.
    case tokenMalformed
    /// The content has a value that JSON cannot say, such as an infinite number, or a gap without a text.
    case contentNotEncodable

    /// The same consequence as if the push service had answered.
    package var outcome: PushOutcome {
        switch self {
        case .payloadTooLarge: .payloadFault(reason: DeliveryReason.payloadTooLarge.rawValue)
        case .tokenMalformed: .tokenMalformed(reason: DeliveryReason.malformedToken.rawValue)
        case .contentNotEncodable: .payloadFault(reason: DeliveryReason.contentNotEncodable.rawValue)
        }
    }
}
