import Foundation

/// The reason why APNs does not accept a request.
struct APNsRequestError: Error, Sendable, Equatable {
    let reason: APNsReason
    /// Only with 410: since when the device token has been invalid.
    let timestamp: Date?

    init(_ reason: APNsReason, timestamp: Date? = nil) {
        self.reason = reason
        self.timestamp = timestamp
    }
}

/// The values of `reason` in the JSON of an error response.
///
/// Source: Apple, "Handling notification responses from APNs"; only those that this simulator can return.
public enum APNsReason: String, Sendable, Codable, CaseIterable {
    /// `apns-collapse-id` is longer than 64 bytes.
    case badCollapseID = "BadCollapseId"
    /// The device token is malformed, unknown, or of the other environment.
    case badDeviceToken = "BadDeviceToken"
    /// `apns-expiration` is not a number of seconds.
    case badExpirationDate = "BadExpirationDate"
    /// `apns-id` is not a UUID.
    case badMessageID = "BadMessageId"
    /// Not documented by Apple, which names no response for a payload that is not a JSON object, or that lacks what its
    /// push type needs (for most, an `aps` dictionary). A device would drop such a push silently; here a test sees the
    /// error.
    case badPayload = "BadPayload"
    /// `apns-priority` is not 10, 5 or 1, or is 10 for a push that shows nothing.
    case badPriority = "BadPriority"
    /// `apns-topic` has characters that cannot occur in a bundle id.
    case badTopic = "BadTopic"
    /// The device token belongs to another topic.
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    /// A field that APNs reads came more than once.
    case duplicateHeaders = "DuplicateHeaders"
    /// `apns-push-type` is not one of Apple's, or is `background` for a payload with an alert.
    case invalidPushType = "InvalidPushType"
    /// The path ends where the device token should be.
    case missingDeviceToken = "MissingDeviceToken"
    /// There is no `apns-topic`.
    case missingTopic = "MissingTopic"
    /// There is no payload.
    case payloadEmpty = "PayloadEmpty"
    /// The signing key may not push to this topic.
    case topicDisallowed = "TopicDisallowed"

    /// The signing key is not for this environment. The spelling is the service's; the documentation has
    /// `BadEnvironmentKeyIdInToken`.
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    /// The provider token is older than an hour.
    case expiredProviderToken = "ExpiredProviderToken"
    /// The provider token is malformed, of an unknown key, of another team, or its signature is invalid.
    case invalidProviderToken = "InvalidProviderToken"
    /// There is no provider token.
    case missingProviderToken = "MissingProviderToken"
    /// The provider token is of another team than the first one on this connection.
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"

    /// The path is not `/3/device/…`.
    case badPath = "BadPath"
    /// The method is not `POST`.
    case methodNotAllowed = "MethodNotAllowed"

    /// The device token has expired.
    case expiredToken = "ExpiredToken"
    /// The app was removed from the device.
    case unregistered = "Unregistered"

    /// The payload is larger than 4,096 bytes (5,120 for VoIP).
    case payloadTooLarge = "PayloadTooLarge"

    /// The provider token was renewed within 20 minutes.
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    /// Too many requests for one device token.
    case tooManyRequests = "TooManyRequests"

    /// An internal error.
    case internalServerError = "InternalServerError"
    /// The service is unavailable.
    case serviceUnavailable = "ServiceUnavailable"
    /// The server is shutting down.
    case shutdown = "Shutdown"

    /// The HTTP status of the reason.
    public var status: Int {
        switch self {
        case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPayload, .badPriority,
            .badTopic, .deviceTokenNotForTopic, .duplicateHeaders, .invalidPushType, .missingDeviceToken,
            .missingTopic, .payloadEmpty, .topicDisallowed:
            400
        case .badEnvironmentKeyInToken, .expiredProviderToken, .invalidProviderToken, .missingProviderToken,
            .unrelatedKeyIDInToken:
            403
        case .badPath: 404
        case .methodNotAllowed: 405
        case .expiredToken, .unregistered: 410
        case .payloadTooLarge: 413
        case .tooManyProviderTokenUpdates, .tooManyRequests: 429
        case .internalServerError: 500
        case .serviceUnavailable, .shutdown: 503
        }
    }
}
