/// The body of every response that is not a success (WIRE-23).
public struct ErrorBody: Hashable, Sendable, Codable {
    public struct Detail: Hashable, Sendable, Codable {
        public var code: String
        public var message: String
        /// The invalid field, header or parameter.
        public var target: String?

        public init(code: String, message: String, target: String? = nil) {
            self.code = code
            self.message = message
            self.target = target
        }
    }

    public var error: Detail
    /// Further errors of the same request, if there are several (ADM-3).
    public var details: [Detail]?

    public init(error: Detail, details: [Detail]? = nil) {
        self.error = error
        self.details = details
    }
}

/// The codes that clients handle.
public enum ErrorCode {
    /// The refresh token is unknown: register anew (WIRE-4).
    public static let registerAnew = "1101"
    public static let anonymousContactsDisabled = "anonymousContactsDisabled"
    public static let contactTokenMissing = "contactTokenMissing"
    public static let contactTokenInvalid = "contactTokenInvalid"
    public static let contactTokenExpired = "contactTokenExpired"
    public static let unknownApp = "unknownApp"
    public static let invalidBody = "invalidBody"
    public static let bodyTooLarge = "bodyTooLarge"
    public static let unsupportedMediaType = "unsupportedMediaType"
    public static let tooManyRequests = "tooManyRequests"
    public static let notFound = "notFound"
    public static let conflict = "conflict"
    /// The device's person was erased: it removes everything and is suspended (REG-36).
    public static let erased = "erased"
    /// The registration id was already used for another snapshot (WIRE-25).
    public static let registrationIdReused = "registrationIdReused"
    /// The message center is disabled (WIRE-10): 403.
    public static let messageCenterDisabled = "messageCenterDisabled"
    /// The app has no such message center (WIRE-10): 404.
    public static let unknownMessageCenter = "unknownMessageCenter"
    /// The message does not exist, or is another contact's (WIRE-11, WIRE-15): 404.
    public static let unknownMessage = "unknownMessage"
    /// The device already got the rich content, under another key (WIRE-11): 410.
    public static let richContentAlreadyServed = "richContentAlreadyServed"
    /// A badge below 0 (WIRE-12): 400.
    public static let invalidBadge = "invalidBadge"
    /// A call that is served once needs a key, so that a lost response can be requested again (WIRE-11): 400.
    public static let missingIdempotencyKey = "missingIdempotencyKey"
    public static let unauthorized = "unauthorized"
    public static let forbidden = "forbidden"
}
