/// The values of `errorCode` in an `FcmError`, and five responses of Google's API itself that have none.
///
/// Source: Google, "ErrorCode" of the FCM v1 REST reference; `google.rpc.Code` for `status`.
public enum FCMErrorCode: String, Sendable, Codable, CaseIterable {
    /// The request has an invalid parameter, or the token is malformed.
    case invalidArgument = "INVALID_ARGUMENT"
    /// The app instance was unregistered: the token is no longer valid.
    case unregistered = "UNREGISTERED"
    /// The token belongs to another sender.
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    /// Too many messages for the device.
    case quotaExceeded = "QUOTA_EXCEEDED"
    /// Too many messages for the project: a response of Google's API management, without an `errorCode`.
    case resourceExhausted = "RESOURCE_EXHAUSTED"
    /// The server is overloaded.
    case unavailable = "UNAVAILABLE"
    /// An internal error.
    case `internal` = "INTERNAL"
    /// The APNs certificate or web push key that the project stored is invalid or missing.
    case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
    /// There is no access token, or it is unknown or expired. The response has no `errorCode`.
    case unauthenticated = "UNAUTHENTICATED"
    /// The access token has no right to send for this project. The response has no `errorCode`.
    case permissionDenied = "PERMISSION_DENIED"
    /// There is no such path, method or subscription. The response has no `errorCode`.
    case notFound = "NOT_FOUND"
    /// The device has already subscribed to the topic. The response has no `errorCode`.
    case alreadyExists = "ALREADY_EXISTS"

    /// The HTTP status of the error.
    public var status: Int {
        switch self {
        case .invalidArgument: 400
        case .unauthenticated, .thirdPartyAuthError: 401
        case .senderIDMismatch, .permissionDenied: 403
        case .unregistered, .notFound: 404
        case .alreadyExists: 409
        case .quotaExceeded, .resourceExhausted: 429
        case .internal: 500
        case .unavailable: 503
        }
    }

    /// The value of `status` in the response: the name of a `google.rpc.Code`.
    var canonicalName: String {
        switch self {
        case .invalidArgument: "INVALID_ARGUMENT"
        case .unauthenticated, .thirdPartyAuthError: "UNAUTHENTICATED"
        case .senderIDMismatch, .permissionDenied: "PERMISSION_DENIED"
        case .unregistered, .notFound: "NOT_FOUND"
        case .alreadyExists: "ALREADY_EXISTS"
        case .quotaExceeded, .resourceExhausted: "RESOURCE_EXHAUSTED"
        case .internal: "INTERNAL"
        case .unavailable: "UNAVAILABLE"
        }
    }

    /// Whether a response has the error in an `FcmError`.
    var isOfFCM: Bool {
        switch self {
        case .unauthenticated, .permissionDenied, .notFound, .alreadyExists, .resourceExhausted: false
        default: true
        }
    }
}
