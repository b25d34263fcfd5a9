/// The body of every response that is not a success (WIRE-23).
public struct ErrorBody: Hashable, Sendable, Codable {
    /// One error.
    public struct Detail: Hashable, Sendable, Codable {
        /// A stable word for programs. Clients handle those of ``ErrorCode``.
        public var code: String
        /// A sentence for people. It may change.
        public var message: String
        /// The invalid field, header or parameter.
        public var target: String?

        /// An error, with the field, header or parameter that is invalid if it concerns one.
        public init(code: String, message: String, target: String? = nil) {
            self.code = code
            self.message = message
            self.target = target
        }
    }

    /// The error, or the first of several.
    public var error: Detail
    /// Further errors of the same request, if there are several (ADM-3).
    public var details: [Detail]?

    /// The body of a response with these errors.
    public init(error: Detail, details: [Detail]? = nil) {
        self.error = error
        self.details = details
    }
}

/// The codes that clients handle.
public enum ErrorCode {
    /// The refresh token is unknown: register anew (WIRE-4).
    public static let registerAnew = "1101"
    /// The app has no anonymous contacts (WIRE-3).
    public static let anonymousContactsDisabled = "anonymousContactsDisabled"
    /// The call needs a contact token and has none (WIRE-22).
    public static let contactTokenMissing = "contactTokenMissing"
    /// The contact token is not one of this device, or no longer counts (WIRE-22).
    public static let contactTokenInvalid = "contactTokenInvalid"
    /// The contact token has expired: refresh it (WIRE-22).
    public static let contactTokenExpired = "contactTokenExpired"
    /// The server has no app with this code.
    public static let unknownApp = "unknownApp"
    /// The body is not JSON of the expected form.
    public static let invalidBody = "invalidBody"
    /// The body is longer than the server accepts: 413.
    public static let bodyTooLarge = "bodyTooLarge"
    /// The body has another content type than the server reads: 415.
    public static let unsupportedMediaType = "unsupportedMediaType"
    /// A limit is used up. `Retry-After` says when to call again: 429.
    public static let tooManyRequests = "tooManyRequests"
    /// There is no resource at this path: 404.
    public static let notFound = "notFound"
    /// The request does not fit the present state: 409.
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
    /// The caller did not prove who they are: 401.
    public static let unauthorized = "unauthorized"
    /// The caller may not do this: 403.
    public static let forbidden = "forbidden"
}
