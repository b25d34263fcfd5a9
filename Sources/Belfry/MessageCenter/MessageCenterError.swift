import BelfryRules
import BelfryWire
import Foundation

/// Why a call to the message centre or the badge did not do what was asked (MC-10).
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

    /// What kind of fault it is; more kinds may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// Stable, in camel case.
        public let description: String
        /// The number by which Responsys apps know the fault, or the status of the server's answer; from 6001 on where
        /// there is neither.
        public let numericCode: Int

        init(_ description: String, _ numericCode: Int) {
            self.description = description
            self.numericCode = numericCode
        }
    }

    /// What kind of fault it is.
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
    /// 5001: no network, or no answer of a Belfry server came.
    public static let noNetwork = Self("noNetwork", 5001)
    /// 5002: fetches found no network so often in a row that the next attempt waits for the interval.
    public static let maximumRetryReached = Self("maximumRetryReached", 5002)
    /// 5003: the client was not started, so nobody knows where to ask.
    public static let invalidURL = Self("invalidURL", 5003)
    /// 5004: the answer is none that the API promises, such as one that is not JSON.
    public static let invalidPayload = Self("invalidPayload", 5004)
    /// 5005: the answer has no body.
    public static let emptyResponse = Self("emptyResponse", 5005)
    /// 400: the server does not know the app.
    public static let invalidAppOrAccountToken = Self("invalidAppOrAccountToken", 400)
    /// 401: the server does not take the device's contact token, also after it was renewed.
    public static let unauthorized = Self("unauthorized", 401)
    /// 403: the centre is disabled on the server.
    public static let messageCenterDisabled = Self("messageCenterDisabled", 403)
    /// 404: the server has no such centre.
    public static let messageCenterFailure = Self("messageCenterFailure", 404)
    /// 404: the person has no such message, or it has no rich content.
    public static let unknownMessage = Self("unknownMessage", 404)
    /// 410: the rich content was handed out to this device before, and is no longer kept on it.
    public static let richContentAlreadyServed = Self("richContentAlreadyServed", 410)
    /// 429: the server asks for patience.
    public static let tooManyRequests = Self("tooManyRequests", 429)
    /// 503: the server is under maintenance, or in trouble.
    public static let serverUnavailable = Self("serverUnavailable", 503)
    /// 6001: the message centre is off on this device (``BelfryClient/setMessageCenterEnabled(_:)``).
    public static let notEnabled = Self("notEnabled", 6001)
    /// 6002: a badge below 0, or badges are off (``BelfryConfiguration/badgesEnabled``).
    public static let invalidBadge = Self("invalidBadge", 6002)
    /// 6003: the storage cannot be opened, read or written.
    public static let storageUnavailable = Self("storageUnavailable", 6003)
    /// 6004: nobody is linked to the device yet, so nobody has messages or a badge.
    public static let noContact = Self("noContact", 6004)
    /// 6005: the client was wiped, or its person erased, and was not started since (REG-36).
    public static let resting = Self("resting", 6005)
    /// 6006: the client was stopped; make a new one.
    public static let stopped = Self("stopped", 6006)
    /// 6007: the server refused the call for another reason, which the message tells.
    public static let refused = Self("refused", 6007)
    /// 6008: the task that waited was cancelled before the call left.
    public static let cancelled = Self("cancelled", 6008)
}

extension MessageCenterError {
    /// What a failure of the device's own storage, or the end of the client, means here.
    init(_ error: BelfryError) {
        self.init(error.code == .stopped ? .stopped : .storageUnavailable, error.message)
    }

    /// What an answer that is no success, or its absence, means.
    init(_ failure: CallFailure) {
        self.init(Self.code(of: failure), failure.message)
    }

    /// Only Belfry's own word counts: what stands in front of a server says no without a code.
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
