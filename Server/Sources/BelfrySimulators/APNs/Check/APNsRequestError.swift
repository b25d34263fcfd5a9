import Foundation

/// Why APNs does not take a request.
struct APNsRequestError: Error, Sendable, Equatable {
    let reason: APNsReason
    /// With 410 only: since when the device token is no longer good.
    let timestamp: Date?

    init(_ reason: APNsReason, timestamp: Date? = nil) {
        self.reason = reason
        self.timestamp = timestamp
    }
}

/// What `reason` says in the JSON of a refusal.
///
/// Source: Apple, "Handling notification responses from APNs"; only what this simulator can answer.
public enum APNsReason: String, Sendable, Codable, CaseIterable {
    /// `apns-collapse-id` is longer than 64 bytes.
    case badCollapseID = "BadCollapseId"
    /// The device token is malformed, unknown, or of the other environment.
    case badDeviceToken = "BadDeviceToken"
    /// `apns-expiration` is not a number of seconds.
    case badExpirationDate = "BadExpirationDate"
    /// `apns-id` is not a UUID.
    case badMessageID = "BadMessageId"
    /// Not one that Apple documents: it names no answer to a payload that is not a JSON object, or that lacks what its
    /// push type needs: an `aps` dictionary, for most. A device would drop it without a word, so a test is told here.
    case badPayload = "BadPayload"
    /// `apns-priority` is not 10, 5 or 1, or is 10 for a push that shows nothing.
    case badPriority = "BadPriority"
    /// `apns-topic` has characters that no bundle id has.
    case badTopic = "BadTopic"
    /// The device token belongs to another topic.
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    /// A field that APNs reads came more than once.
    case duplicateHeaders = "DuplicateHeaders"
    /// `apns-push-type` is none of Apple's, or says background of a payload that alerts.
    case invalidPushType = "InvalidPushType"
    /// The path ends where the device token should be.
    case missingDeviceToken = "MissingDeviceToken"
    /// There is no `apns-topic`.
    case missingTopic = "MissingTopic"
    /// There is no payload.
    case payloadEmpty = "PayloadEmpty"
    /// The signing key may not push to this topic.
    case topicDisallowed = "TopicDisallowed"

    /// The signing key is not for this environment. Spelled as the service answers; the documentation has
    /// `BadEnvironmentKeyIdInToken`.
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    /// The provider token is older than an hour.
    case expiredProviderToken = "ExpiredProviderToken"
    /// The provider token is malformed, of an unknown key, of another team, or its signature is wrong.
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

    /// The provider token was made again within 20 minutes.
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    /// Too many requests for one device token.
    case tooManyRequests = "TooManyRequests"

    /// Something failed within.
    case internalServerError = "InternalServerError"
    /// The service is unavailable.
    case serviceUnavailable = "ServiceUnavailable"
    /// The server is shutting down.
    case shutdown = "Shutdown"

    /// The HTTP status that goes with it.
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
