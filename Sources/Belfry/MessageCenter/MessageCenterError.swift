import BelfryRules
import BelfryWire
import Foundation

/// An error of a call about the message center or the badge (MC-10).
///
/// ```swift
/// do {
///     html = try await client.richContent(for: message.id)
/// } catch where error.code == .noNetwork {
///     html = nil
/// }
/// ```
///
/// As an `NSError` it has the ``domain`` and, as its code, the ``numericCode``.
public struct MessageCenterError: Error, Hashable, Sendable {
    /// The domain of the error as an `NSError`.
    public static let domain = "Belfry.MessageCenter"

    /// The kind of error; there may be more in later versions.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// Stable, in camel case.
        public let description: String
        /// The number of the error in Responsys apps, or the status of the server's response; if there is neither, a
        /// number from 6001 on.
        public let numericCode: Int

        init(_ description: String, _ numericCode: Int) {
            self.description = description
            self.numericCode = numericCode
        }
    }

    /// The kind of error.
    public let code: Code
    /// What happened and what is allowed, for the app's developer.
    public let message: String

    /// The number of the ``code``.
    public var numericCode: Int { code.numericCode }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension MessageCenterError.Code {
    /// 5001: no network, or no response from a Belfry server.
    public static let noNetwork = Self("noNetwork", 5001)
    /// 5002: too many fetches in a row failed without a network; the next attempt is after the interval.
    public static let maximumRetryReached = Self("maximumRetryReached", 5002)
    /// 5003: the client was not started.
    public static let invalidURL = Self("invalidURL", 5003)
    /// 5004: the response does not conform to the API; for example, it is not JSON.
    public static let invalidPayload = Self("invalidPayload", 5004)
    /// 5005: the response has no body.
    public static let emptyResponse = Self("emptyResponse", 5005)
    /// 400: the server does not know the app.
    public static let invalidAppOrAccountToken = Self("invalidAppOrAccountToken", 400)
    /// 401: the server does not accept the device's contact token, even after its renewal.
    public static let unauthorized = Self("unauthorized", 401)
    /// 403: the message center is disabled on the server.
    public static let messageCenterDisabled = Self("messageCenterDisabled", 403)
    /// 404: the server has no such message center.
    public static let messageCenterFailure = Self("messageCenterFailure", 404)
    /// 404: the person has no such message, or it has no rich content.
    public static let unknownMessage = Self("unknownMessage", 404)
    /// 410: the rich content was already served to this device, and is no longer stored on it.
    public static let richContentAlreadyServed = Self("richContentAlreadyServed", 410)
    /// 429: too many requests; try again later.
    public static let tooManyRequests = Self("tooManyRequests", 429)
    /// 503: the server is not available.
    public static let serverUnavailable = Self("serverUnavailable", 503)
    /// 6001: the message center is off on this device (``BelfryClient/setMessageCenterEnabled(_:)``).
    public static let notEnabled = Self("notEnabled", 6001)
    /// 6002: a badge below 0, or badges are off (``BelfryConfiguration/badgesEnabled``).
    public static let invalidBadge = Self("invalidBadge", 6002)
    /// 6003: the storage cannot be opened, read or written.
    public static let storageUnavailable = Self("storageUnavailable", 6003)
    /// 6004: the device is not linked to a contact yet, so there are no messages and no badge.
    public static let noContact = Self("noContact", 6004)
    /// 6005: the client was wiped, or its person erased, and was not started since (REG-36).
    public static let resting = Self("resting", 6005)
    /// 6006: the client was stopped; create a new one.
    public static let stopped = Self("stopped", 6006)
    /// 6007: the server rejected the request for another reason, which is in the message.
    public static let refused = Self("refused", 6007)
    /// 6008: the waiting task was cancelled before the request was sent.
    public static let cancelled = Self("cancelled", 6008)
}

extension MessageCenterError {
    /// The error for a failure of the device's storage, or for a stopped client.
    init(_ error: BelfryError) {
        self.init(error.code == .stopped ? .stopped : .storageUnavailable, error.message)
    }

    /// The error for a response that is not a success, or for no response.
    init(_ failure: CallFailure) {
        self.init(Self.code(of: failure), failure.message)
    }

    /// Only errors with Belfry's code count, because a proxy in front of the server may send others.
    private static func code(of failure: CallFailure) -> Code {
        guard let status = failure.status else { return .noNetwork }
        switch (status, failure.code) {
        case (500..., _): return .serverUnavailable
        case (408, _), (425, _), (429, _): return .tooManyRequests
        case (_, nil): return .noNetwork
        case (_, ErrorCode.unknownApp): return .invalidAppOrAccountToken
        case (_, ErrorCode.messageCenterDisabled): return .messageCenterDisabled
        case (_, ErrorCode.unknownMessageCenter): return .messageCenterFailure
        case (_, ErrorCode.unknownMessage): return .unknownMessage
        case (_, ErrorCode.richContentAlreadyServed): return .richContentAlreadyServed
        case (_, ErrorCode.invalidBadge): return .invalidBadge
        case (401, _): return .unauthorized
        default: return .refused
        }
    }
}

extension MessageCenterError: CustomStringConvertible {
    /// The message, after the number of the code.
    public var description: String {
        "\(numericCode): \(message)"
    }
}

extension MessageCenterError: CustomNSError {
    /// The ``domain``.
    public static var errorDomain: String { domain }
    /// The ``numericCode``.
    public var errorCode: Int { numericCode }
    /// The message, where the system looks for one.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
}
