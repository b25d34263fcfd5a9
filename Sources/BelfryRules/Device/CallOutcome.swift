import Foundation

/// A call that did not succeed, in words that may be shown to the app's developer.
public struct CallFailure: Hashable, Sendable, Codable {
    /// A longer message is cut: it comes from a peer.
    public static let maximumMessageLength = 200

    /// HTTP status; nil when no answer came.
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

    /// The server faults what was sent, not who sent it or where to: sending less of it may help (EVT-4).
    public var isAboutContent: Bool {
        guard let status else { return false }
        return [400, 413, 415, 422].contains(status) && !isUnknownApp
    }

    /// The app is not on the server, or not yet. That is no fault of what was sent, nor of any token.
    public var isUnknownApp: Bool {
        code == "unknownApp"
    }

    /// The server no longer knows the refresh token: the device registers anew (WIRE-4, ID-6).
    public var isForgotten: Bool {
        status == 400 && code == "1101"
    }

    /// Something in front of the server takes less at once than the server does; the server would give a code.
    var isTooLargeForOthers: Bool {
        status == 413 && code == nil
    }

    /// The person was erased on the server; this device is to forget them too (REG-36).
    public var isErasure: Bool {
        status == 410 && code == "erased"
    }
}

/// What the answer to a call, or its absence, means for what comes next.
public enum CallOutcome: Hashable, Sendable {
    case accepted
    /// 401: the contact token is to be renewed (ID-6).
    case unauthorized(CallFailure)
    /// A 4xx that sending the same again will not change.
    case refused(CallFailure)
    /// To be tried again later: no network, no Belfry server, 408, 429, 5xx (EVT-5).
    case failed(CallFailure, cause: Backoff.Cause, retryAfter: TimeInterval?)

    /// - Parameters:
    ///   - code: the error code of a Belfry server's answer; nil where the answer has none. Only Belfry's word is a
    ///     refusal: whatever stands in front of the server, such as a firewall or a hotspot, says no without a code.
    ///   - retryAfter: seconds.
    public static func answer(
        status: Int,
        code: String? = nil,
        message: String? = nil,
        retryAfter: TimeInterval? = nil,
        at now: Date
    ) -> CallOutcome {
        let failure = CallFailure(
            status: status,
            code: code,
            message: message ?? "The server answered with status \(status).",
            at: now
        )
        switch status {
        case 200..<300: return .accepted
        // Belfry never redirects; a hotspot's sign-in page does, or it answers with 511 (RFC 6585).
        case 300..<400, 511: return .failed(failure, cause: .network, retryAfter: nil)
        case 408, 425, 429: return .failed(failure, cause: .server, retryAfter: retryAfter)
        case 400..<500 where code == nil: return .failed(failure, cause: .network, retryAfter: nil)
        case 400..<500 where failure.isUnknownApp: return .failed(failure, cause: .server, retryAfter: nil)
        case 401: return .unauthorized(failure)
        case 400..<500: return .refused(failure)
        default: return .failed(failure, cause: .server, retryAfter: retryAfter)
        }
    }

    /// The request may or may not have arrived.
    public static func noAnswer(_ message: String, at now: Date) -> CallOutcome {
        .failed(CallFailure(status: nil, message: message, at: now), cause: .network, retryAfter: nil)
    }

    /// The same for a call that carries no contact token, where a 401 cannot be mended by a new one.
    public var withoutToken: CallOutcome {
        guard case .unauthorized(let failure) = self else { return self }
        return .refused(failure)
    }

    /// The same for a call that is made again whatever was answered.
    var toBeRepeated: CallOutcome {
        switch self {
        case .unauthorized(let failure), .refused(let failure):
            .failed(failure, cause: .server, retryAfter: nil)
        case .accepted, .failed: self
        }
    }

    /// What went wrong; nil for a success.
    public var failure: CallFailure? {
        switch self {
        case .accepted: nil
        case .unauthorized(let failure), .refused(let failure), .failed(let failure, _, _): failure
        }
    }
}
