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
        return [400, 413, 415, 422].contains(status) && code != "unknownApp"
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
    /// To be tried again later: no network, 408, 429, 5xx (EVT-5).
    case failed(CallFailure, cause: Backoff.Cause, retryAfter: TimeInterval?)

    /// - Parameter retryAfter: seconds.
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
        // Belfry never redirects; a hotspot's sign-in page does.
        case 300..<400: return .failed(failure, cause: .network, retryAfter: nil)
        case 401: return .unauthorized(failure)
        case 408, 425, 429: return .failed(failure, cause: .server, retryAfter: retryAfter)
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

    /// What went wrong; nil for a success.
    public var failure: CallFailure? {
        switch self {
        case .accepted: nil
        case .unauthorized(let failure), .refused(let failure), .failed(let failure, _, _): failure
        }
    }
}
