/// The reason why the push service does not accept a push.
struct WebPushRequestError: Error, Sendable, Equatable {
    let reason: WebPushReason
    /// The value of `Retry-After` in seconds.
    let retryAfter: Int?

    init(_ reason: WebPushReason, retryAfter: Int? = nil) {
        self.reason = reason
        self.retryAfter = retryAfter
    }

    var answer: SimulatedResponse {
        var fields = [SimulatedResponse.Field(name: "content-type", value: "application/json")]
        if let retryAfter { fields.append(SimulatedResponse.Field(name: "retry-after", value: String(retryAfter))) }
        if reason == .missingAuthorization {
            fields.append(SimulatedResponse.Field(name: "www-authenticate", value: "vapid"))
        }
        return SimulatedResponse(status: reason.status, fields: fields, body: #"{"reason":"\#(reason.rawValue)"}"#)
    }
}

/// The reason of a rejection, as `reason` in the JSON of the response. RFC 8030 specifies statuses and no bodies. Where
/// Apple's web push service has a name for the reason, it is used.
public enum WebPushReason: String, Sendable, Codable, CaseIterable {
    /// `TTL` is missing or not a number of seconds (RFC 8030 §5.2).
    case badTTL = "BadTtl"
    /// `Topic` has more than 32 characters, or one that is not base64url (RFC 8030 §5.4).
    case badTopic = "BadWebPushTopic"
    /// `Urgency` is not one of the four values (RFC 8030 §5.3).
    case badUrgency = "BadUrgency"
    /// There is a body, and `Content-Encoding` is not `aes128gcm` (RFC 8291 §4).
    case badContentEncoding = "BadContentEncoding"
    /// The body cannot be one record of `aes128gcm`: it is shorter than its header and tag (RFC 8188 §2).
    case badBody = "BadWebPushRequest"
    /// There is no `Authorization` with the scheme `vapid` (RFC 8292 §3).
    case missingAuthorization = "MissingAuthorization"
    /// The JWT is malformed, or its signature does not match the key that came with it (RFC 8292 §2).
    case badJWT = "BadJwtToken"
    /// The JWT has expired, or expires in more than 24 hours (RFC 8292 §2).
    case expiredJWT = "ExpiredJwtToken"
    /// The JWT is for another origin (RFC 8292 §2).
    case badAudience = "BadJwtAudience"
    /// The JWT has no contact with a `mailto:` or `https:` URI (RFC 8292 §2.1).
    case badSubject = "BadJwtSubject"
    /// The subscription was made with another key (RFC 8292 §4.2).
    case keyMismatch = "VapidPkHashMismatch"
    /// There is no such path.
    case badPath = "BadPath"
    /// The method is not `POST`.
    case methodNotAllowed = "MethodNotAllowed"
    /// There never was such a subscription, or it has expired (RFC 8030 §7.3).
    case unknownSubscription = "UnknownSubscription"
    /// The subscription was ended, by the person or by the browser.
    case unsubscribed = "Unsubscribed"
    /// The body is larger than 4,096 bytes (RFC 8030 §7.2).
    case payloadTooLarge = "PayloadTooLarge"
    /// Too many pushes for one subscription, or from one key (RFC 8030 §8.4).
    case tooManyRequests = "TooManyRequests"
    /// An internal error.
    case internalServerError = "InternalServerError"
    /// The service is unavailable.
    case serviceUnavailable = "ServiceUnavailable"

    /// The HTTP status of the reason.
    public var status: Int {
        switch self {
        case .badTTL, .badTopic, .badUrgency, .badContentEncoding, .badBody: 400
        case .missingAuthorization: 401
        case .badJWT, .expiredJWT, .badAudience, .badSubject, .keyMismatch: 403
        case .badPath, .unknownSubscription: 404
        case .methodNotAllowed: 405
        case .unsubscribed: 410
        case .payloadTooLarge: 413
        case .tooManyRequests: 429
        case .internalServerError: 500
        case .serviceUnavailable: 503
        }
    }
}
