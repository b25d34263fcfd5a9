/// The body of every answer that is not a success (WIRE-23).
public struct ErrorBody: Hashable, Sendable, Codable {
    public struct Detail: Hashable, Sendable, Codable {
        public var code: String
        public var message: String
        /// The field, header or parameter at fault.
        public var target: String?

        public init(code: String, message: String, target: String? = nil) {
            self.code = code
            self.message = message
            self.target = target
        }
    }

    public var error: Detail
    /// Further faults of the same request, when there are several (ADM-3).
    public var details: [Detail]?

    public init(error: Detail, details: [Detail]? = nil) {
        self.error = error
        self.details = details
    }
}

/// The codes that clients act on.
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
    /// The device's person was erased: it forgets everything and stays quiet (REG-36).
    public static let erased = "erased"
    /// The registration id stands for another snapshot already (WIRE-25).
    public static let registrationIdReused = "registrationIdReused"
    public static let unauthorized = "unauthorized"
    public static let forbidden = "forbidden"
}
