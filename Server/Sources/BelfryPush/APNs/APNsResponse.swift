import BelfryModel
import BelfryServerModel
import Foundation

/// Interprets a response of APNs.
///
/// Source: Apple, "Handling notification responses from APNs", table "Response error strings". A known reason decides;
/// without one, the status does.
package enum APNsResponse {
    /// The maximum length in characters of a reason that is kept. A longer one, or one with characters other than
    /// letters and digits, is ignored.
    package static let maximumReasonLength = 64

    /// The reasons for a key of another environment. Apple's documentation and the actual responses spell it
    /// differently.
    package static let keyOfOtherEnvironment: Set<String> = ["BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken"]

    package static func outcome(of result: PushResult, now: Date) -> PushOutcome {
        switch result {
        case .answered(let response): outcome(of: response, now: now)
        case .notProcessed(let reason): .notSent(reason: reason)
        case .unanswered(let reason): .unanswered(reason: reason)
        }
    }

    /// - Parameter now: the latest time since when a token can be invalid, whatever APNs' clock says.
    package static func outcome(of response: PushResponse, now: Date) -> PushOutcome {
        guard response.status != 200 else { return .accepted }
        let body = ErrorBody(response.body)
        let answer = ResponseBody(
            reason: body.reason ?? "status\(response.status)",
            since: body.since.map { min($0, now) },
            retryAfter: RetryAfter.delay(in: response)
        )
        return answer.outcomeByReason ?? answer.outcome(byStatus: response.status)
    }
}

private struct ResponseBody {
    let reason: String
    let since: Date?
    let retryAfter: TimeInterval?

    var outcomeByReason: PushOutcome? {
        switch reason {
        // Only the token differs between paths, so a bad path means a bad token.
        case "BadDeviceToken", "MissingDeviceToken", "BadPath":
            .tokenMalformed(reason: reason)
        case "ExpiredToken", "Unregistered":
            .tokenInvalid(reason: reason, since: since)
        case "BadTopic", "DeviceTokenNotForTopic", "MissingTopic", "TopicDisallowed":
            .topicError(reason: reason)
        case "ExpiredProviderToken":
            .credentialExpired(reason: reason)
        case "BadCertificate", "BadCertificateEnvironment", "Forbidden", "InvalidProviderToken",
            "MissingProviderToken", "UnrelatedKeyIdInToken":
            .credentialError(reason: reason)
        case _ where APNsResponse.keyOfOtherEnvironment.contains(reason):
            .credentialError(reason: reason)
        case "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "DuplicateHeaders",
            "InvalidPushType", "MethodNotAllowed", "PayloadEmpty", "PayloadTooLarge":
            .payloadError(reason: reason)
        case "TooManyProviderTokenUpdates", "TooManyRequests":
            .throttled(reason: reason, retryAfter: retryAfter)
        case "IdleTimeout", "InternalServerError", "ServiceUnavailable", "Shutdown":
            .unavailable(reason: reason, retryAfter: retryAfter)
        default:
            nil
        }
    }

    func outcome(byStatus status: Int) -> PushOutcome {
        switch status {
        case 401, 403, 407: .credentialError(reason: reason)
        case 404: .tokenMalformed(reason: reason)
        case 408, 425: .unavailable(reason: reason, retryAfter: retryAfter)
        case 410: .tokenInvalid(reason: reason, since: since)
        case 429: .throttled(reason: reason, retryAfter: retryAfter)
        case 400...499: .payloadError(reason: reason)
        // 5xx, and statuses that APNs never sends (another 2xx, a redirection): something else responded in its place.
        default: .unavailable(reason: reason, retryAfter: retryAfter)
        }
    }
}

/// `{"reason":"Unregistered","timestamp":1700000000000}`. Each member is ignored if it is invalid.
private struct ErrorBody: Decodable {
    var reason: String?
    /// Since when the token has been invalid (milliseconds on the wire).
    var since: Date?

    private enum Key: String, CodingKey { case reason, timestamp }

    init(_ bytes: [UInt8]) {
        if !bytes.isEmpty, let body = try? CheckedJSON.decode(ErrorBody.self, from: bytes) {
            self = body
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let said = try? container.decode(String.self, forKey: .reason)
        reason = said.flatMap { Self.isReason($0) ? $0 : nil }
        let milliseconds = try? container.decode(Double.self, forKey: .timestamp)
        since = milliseconds.flatMap { $0 > 0 && $0.isFinite ? Date(timeIntervalSince1970: $0 / 1_000) : nil }
    }

    private static func isReason(_ text: String) -> Bool {
        (1...APNsResponse.maximumReasonLength).contains(text.utf8.count)
            && text.utf8.allSatisfy(\.isASCIIAlphanumeric)
    }
}
