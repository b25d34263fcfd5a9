import BelfryModel

/// Why a request was not made: what APNs would refuse is not sent.
package enum APNsRequestFault: Error, Hashable, Sendable {
    case payloadTooLarge(bytes: Int)
    /// The token is too long to be one.
    case tokenMalformed
    /// The content has a value that JSON cannot say, such as an infinite number.
    case contentNotEncodable

    /// The same consequence as if APNs had answered.
    package var outcome: PushOutcome {
        switch self {
        case .payloadTooLarge: .payloadFault(reason: DeliveryReason.payloadTooLarge.rawValue)
        case .tokenMalformed: .tokenMalformed(reason: "malformedToken")
        case .contentNotEncodable: .payloadFault(reason: "contentNotEncodable")
        }
    }
}
