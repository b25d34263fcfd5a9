import Foundation

/// The reason why FCM does not accept a message.
struct FCMRequestError: Error, Sendable, Equatable {
    /// An invalid field of the request, and the reason.
    struct Violation: Sendable, Equatable, Encodable {
        var field: String
        var description: String
    }

    /// An exhausted quota.
    enum UsedQuota: Sendable, Equatable {
        /// The quota of a device: `QuotaFailure`. Google documents the detail, but not its words.
        case device
        /// The quota of a project: `ErrorInfo`, as Google's API management responds.
        case project(String, limit: Int)
    }

    let code: FCMErrorCode
    let message: String
    var violation: Violation?
    var usedQuota: UsedQuota?
    /// Whether the error is in the form of the JSON: then the details have no `FcmError`, as at Google.
    var isOfForm = false
    /// The value of `Retry-After` in seconds.
    var retryAfter: Int?

    init(_ code: FCMErrorCode, _ message: String, retryAfter: Int? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    /// A value that FCM does not accept.
    static func invalid(_ field: String, _ description: String) -> FCMRequestError {
        var error = FCMRequestError(.invalidArgument, description)
        error.violation = Violation(field: field, description: description)
        return error
    }

    /// JSON that does not fit the message's form.
    static func malformed(_ field: String, _ description: String) -> FCMRequestError {
        var error = invalid(field, description)
        error.isOfForm = true
        return error
    }

    /// The device got too many messages. `retryAfter` is in seconds.
    static func deviceQuota(_ message: String, retryAfter: Int?) -> FCMRequestError {
        var error = FCMRequestError(.quotaExceeded, message, retryAfter: retryAfter)
        error.usedQuota = .device
        return error
    }

    /// The project sent too many messages. `retryAfter` is in seconds.
    static func projectQuota(_ project: String, limit: Int, retryAfter: Int) -> FCMRequestError {
        var error = FCMRequestError(
            .resourceExhausted,
            "Quota exceeded for quota metric 'Send requests' and limit 'Send requests per minute' of service "
                + "'fcm.googleapis.com' for consumer 'project_number:\(project)'.",
            retryAfter: retryAfter
        )
        error.usedQuota = .project(project, limit: limit)
        return error
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
        /// The subject and description of `QuotaFailure`.
        var violations: [[String: String]]?
        var reason: String?
        var domain: String?
        var metadata: [String: String]?
        /// The description and URL of `Help`.
        var links: [[String: String]]?

        private enum CodingKeys: String, CodingKey {
            case type = "@type"
            case errorCode, fieldViolations, violations, reason, domain, metadata, links
        }
    }

    /// Source for the project's quota: a response of Google that firebase/firebase-admin-go#719 quotes.
    private var quotaDetails: [Detail] {
        switch usedQuota {
        case nil: []
        case .device?:
            [
                Detail(
                    type: "type.googleapis.com/google.rpc.QuotaFailure",
                    violations: [["subject": "device", "description": message]]
                )
            ]
        case .project(let project, let limit)?:
            [
                Detail(
                    type: "type.googleapis.com/google.rpc.ErrorInfo",
                    reason: "RATE_LIMIT_EXCEEDED",
                    domain: "googleapis.com",
                    metadata: [
                        "service": "fcm.googleapis.com", "consumer": "projects/\(project)",
                        "quota_metric": "fcm.googleapis.com/send_requests", "quota_limit": "SendsPerMinutePerProject",
                        "quota_limit_value": String(limit), "quota_location": "global",
                        "quota_unit": "1/min/{project}",
                    ]
                ),
                Detail(
                    type: "type.googleapis.com/google.rpc.Help",
                    links: [
                        [
                            "description": "Request a higher quota limit.",
                            "url": "https://cloud.google.com/docs/quotas/help/request_increase",
                        ]
                    ]
                ),
            ]
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
        details += quotaDetails
        let fault = Fault(
            code: code.status,
            message: message,
            status: code.canonicalName,
            details: details.isEmpty ? nil : details
        )
        return SimulatorJSONText.encode(Body(error: fault))
    }
}
