import Foundation

/// Why FCM does not take a message.
struct FCMRequestError: Error, Sendable, Equatable {
    /// Which field of the request is wrong, and why.
    struct Violation: Sendable, Equatable, Encodable {
        var field: String
        var description: String
    }

    let code: FCMErrorCode
    let message: String
    var violation: Violation?
    /// Whether the fault lies in the form of the JSON: then no `FcmError` is among the details, as with Google.
    var isOfForm = false
    /// Seconds that `Retry-After` says.
    var retryAfter: Int?

    init(_ code: FCMErrorCode, _ message: String, retryAfter: Int? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    /// A value that FCM does not take.
    static func invalid(_ field: String, _ description: String) -> FCMRequestError {
        var refusal = FCMRequestError(.invalidArgument, description)
        refusal.violation = Violation(field: field, description: description)
        return refusal
    }

    /// JSON that does not fit the message's form.
    static func malformed(_ field: String, _ description: String) -> FCMRequestError {
        var refusal = invalid(field, description)
        refusal.isOfForm = true
        return refusal
    }

    var answer: SimulatedResponse {
        var fields = [SimulatedResponse.Field(name: "content-type", value: "application/json; charset=UTF-8")]
        if let retryAfter { fields.append(SimulatedResponse.Field(name: "retry-after", value: String(retryAfter))) }
        if code == .unauthenticated {
            fields.append(
                SimulatedResponse.Field(
                    name: "www-authenticate",
                    value: #"Bearer realm="https://accounts.google.com/", error="invalid_token""#
                )
            )
        }
        return SimulatedResponse(status: code.status, fields: fields, body: json)
    }
}

// MARK: The error model of Google's APIs (AIP-193)
extension FCMRequestError {
    private struct Body: Encodable {
        var error: Fault
    }

    private struct Fault: Encodable {
        var code: Int
        var message: String
        var status: String
        var details: [Detail]?
    }

    private struct Detail: Encodable {
        var type: String
        var errorCode: String?
        var fieldViolations: [Violation]?

        private enum CodingKeys: String, CodingKey {
            case type = "@type"
            case errorCode, fieldViolations
        }
    }

    private var json: String {
        var details: [Detail] = []
        if code.isOfFCM, !isOfForm {
            details.append(
                Detail(type: "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode: code.rawValue)
            )
        }
        if let violation {
            details.append(Detail(type: "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [violation]))
        }
        let fault = Fault(
            code: code.status,
            message: message,
            status: code.canonicalName,
            details: details.isEmpty ? nil : details
        )
        return SimulatorJSONText.encode(Body(error: fault))
    }
}
