import Foundation

/// The response to the provider.
struct SimulatedAPNsResponse: Sendable, Equatable {
    static let acceptedStatus = 200

    let status: Int
    /// `apns-id`: the provider's, or a new one.
    let apnsID: String
    /// `apns-unique-id`: only from the sandbox.
    var uniqueID: String?
    /// The body as JSON; nil for a 200.
    var body: String?

    var answer: SimulatedResponse {
        var fields = [SimulatedResponse.Field(name: "apns-id", value: apnsID)]
        if let uniqueID { fields.append(SimulatedResponse.Field(name: "apns-unique-id", value: uniqueID)) }
        return SimulatedResponse(status: status, fields: fields, body: body ?? "")
    }

    static func accepted(apnsID: String, uniqueID: String?) -> SimulatedAPNsResponse {
        SimulatedAPNsResponse(status: acceptedStatus, apnsID: apnsID, uniqueID: uniqueID)
    }

    static func rejected(_ error: APNsRequestError, apnsID: String) -> SimulatedAPNsResponse {
        SimulatedAPNsResponse(status: error.reason.status, apnsID: apnsID, body: json(error))
    }

    /// The timestamp is in milliseconds since 1970 (Apple: "the time, represented in milliseconds since Epoch, at
    /// which APNs confirmed the token was no longer valid for the topic").
    private static func json(_ error: APNsRequestError) -> String {
        guard let timestamp = error.timestamp else { return #"{"reason":"\#(error.reason.rawValue)"}"# }
        let milliseconds = Int64(exactly: (timestamp.timeIntervalSince1970 * 1_000).rounded()) ?? .max
        return #"{"reason":"\#(error.reason.rawValue)","timestamp":\#(milliseconds)}"#
    }
}
