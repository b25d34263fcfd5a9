import Foundation

/// The failure of a call, with a message for the app's developer.
public struct CallFailure: Hashable, Sendable, Codable {
    /// The maximum length of a message, because it comes from another system.
    public static let maximumMessageLength = 200

    /// HTTP status; nil when there was no response.
    public let status: Int?
    /// The server's error code.
    public let code: String?
    public let message: String
    public let at: Date

    public init(status: Int?, code: String? = nil, message: String, at: Date) {
        self.status = status
        self.code = code.map { String($0.prefix(Self.maximumMessageLength)) }
        self.message = String(message.prefix(Self.maximumMessageLength))
        self.at = at
    }

    /// The error is about the content, not about the sender or the address: sending less may help (EVT-4).
    public var isAboutContent: Bool {
        guard let status else { return false }
        return [400, 413, 415, 422].contains(status) && !isUnknownApp
    }

    /// The server does not know the app, or not yet. The content and the tokens are not the cause.
    public var isUnknownApp: Bool {
        code == "unknownApp"
    }

    /// The server no longer knows the refresh token: the device registers again (WIRE-4, ID-6).
    public var isForgotten: Bool {
        status == 400 && code == "1101"
    }

    /// A proxy in front of the server has a lower limit; the server itself would send a code.
    var isTooLargeForOthers: Bool {
        status == 413 && code == nil
    }

    /// The person was erased on the server; this device must remove their data too (REG-36).
    public var isErasure: Bool {
        status == 410 && code == "erased"
    }
}

/// The meaning of a response, or of its absence, for the next step.
public enum CallOutcome: Hashable, Sendable {
    case accepted
    /// 401: the contact token must be renewed (ID-6).
    case unauthorized(CallFailure)
    /// A 4xx that would be the same after a repetition.
    case refused(CallFailure)
    /// To be retried later: no network, no Belfry server, 408, 429, 5xx (EVT-5).
    case failed(CallFailure, cause: Backoff.Cause, retryAfter: TimeInterval?)

    /// - Parameters:
    ///   - code: the error code of a Belfry server's response; nil if the response has none. Only a response with a
    ///     code counts as a refusal, because systems in front of the server, such as a firewall or a hotspot, respond
    ///     without one.
    ///   - retryAfter: seconds.
    public static func response(
        status: Int,
        code: String? = nil,
        message: String? = nil,
        retryAfter: TimeInterval? = nil,
        at now: Date
    ) -> CallOutcome {
        let failure = CallFailure(
            status: status,
            code: code,
            message: message ?? "The server responded with status \(status).",
            at: now
        )
        switch status {
        case 200..<300: return .accepted
        // Belfry never redirects; a hotspot's sign-in page does, or it responds with 511 (RFC 6585).
        case 300..<400, 511: return .failed(failure, cause: .network, retryAfter: nil)
        case 408, 425, 429: return .failed(failure, cause: .server, retryAfter: retryAfter)
        case 400..<500 where code == nil: return .failed(failure, cause: .network, retryAfter: nil)
        case 400..<500 where failure.isUnknownApp: return .failed(failure, cause: .server, retryAfter: nil)
        case 401: return .unauthorized(failure)
        case 400..<500: return .refused(failure)
        default: return .failed(failure, cause: .server, retryAfter: retryAfter)
        }
    }

    /// The outcome without a response: the request may or may not have arrived.
    public static func noResponse(_ message: String, at now: Date) -> CallOutcome {
        .failed(CallFailure(status: nil, message: message, at: now), cause: .network, retryAfter: nil)
    }

    /// The same outcome for a call without a contact token, for which a new token would not help.
    public var withoutToken: CallOutcome {
        guard case .unauthorized(let failure) = self else { return self }
        return .refused(failure)
    }

    /// The same outcome for a call that is repeated after any response.
    var toBeRepeated: CallOutcome {
        switch self {
        case .unauthorized(let failure), .refused(let failure):
            .failed(failure, cause: .server, retryAfter: nil)
        case .accepted, .failed: self
        }
    }

    /// The failure; nil for a success.
    public var failure: CallFailure? {
        switch self {
        case .accepted: nil
        case .unauthorized(let failure), .refused(let failure), .failed(let failure, _, _): failure
        }
    }
}
