import Foundation

/// The reason why no access token is issued (RFC 6749 §5.2), in Google's words where they are known.
struct FCMTokenError: Error, Sendable, Equatable, Encodable {
    enum Code: String, Sendable, Encodable {
        case invalidRequest = "invalid_request"
        case invalidGrant = "invalid_grant"
        case invalidScope = "invalid_scope"
        case unsupportedGrantType = "unsupported_grant_type"
        /// Only returned by faults.
        case internalFailure = "internal_failure"
        case unavailable = "service_unavailable"
        case rateLimited = "rate_limit_exceeded"
        case notFound = "not_found"
    }

    let code: Code
    let message: String
    var retryAfter: Int?

    init(_ code: Code, _ message: String, retryAfter: Int? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    private enum CodingKeys: String, CodingKey {
        case code = "error"
        case message = "error_description"
    }

    var answer: SimulatedResponse {
        .ofTokenEndpoint(status: status, self, retryAfter: retryAfter)
    }

    private var status: Int {
        switch code {
        case .invalidRequest, .invalidGrant, .invalidScope, .unsupportedGrantType: 400
        case .notFound: 404
        case .rateLimited: 429
        case .internalFailure: 500
        case .unavailable: 503
        }
    }
}

extension SimulatedResponse {
    /// A response of the token endpoint, with or without an access token: JSON that no cache may keep (RFC 6749 §5).
    /// `retryAfter` is in seconds.
    static func ofTokenEndpoint(status: Int, _ body: some Encodable, retryAfter: Int? = nil) -> SimulatedResponse {
        var fields = [
            Field(name: "content-type", value: "application/json; charset=utf-8"),
            Field(name: "cache-control", value: "no-store"),
        ]
        if let retryAfter { fields.append(Field(name: "retry-after", value: String(retryAfter))) }
        return SimulatedResponse(status: status, fields: fields, body: SimulatorJSONText.encode(body))
    }
}
