import BelfryModel
import BelfryServerModel
import Foundation

/// Interprets a response of a browser's push service.
///
/// Source: RFC 8030 §5 to §7, RFC 8292 §4.2. The status decides, because the services' bodies differ. The body only
/// shows whether a subscription was made with another key.
package enum WebPushResponse {
    /// - Parameter keepsWord: whether a word of the body may be kept as the reason. An unknown host could send
    ///   another word each time, while ledgers and metrics are summed up by reason (SEC-5, SEC-9).
    package static func outcome(of result: PushResult, now: Date, keepsWord: Bool = true) -> PushOutcome {
        switch result {
        case .answered(let response): outcome(of: response, now: now, keepsWord: keepsWord)
        case .notProcessed(let reason): .notSent(reason: reason)
        case .unanswered(let reason): .unanswered(reason: reason)
        }
    }

    package static func outcome(of response: PushResponse, now: Date, keepsWord: Bool = true) -> PushOutcome {
        let word = keepsWord ? Self.reason(in: response.body) : nil
        let reason = word ?? "status\(response.status)"
        let retryAfter = RetryAfter.delay(in: response, now: now)
        switch response.status {
        // 201 by RFC 8030; 202 with a receipt; other services use 200 and 204 for the same.
        case 200, 201, 202, 204: return .accepted
        // The subscription no longer exists, or never did.
        case 404, 410: return .tokenInvalid(reason: reason, since: nil)
        case 400, 401, 403:
            if namesAnotherKey(response.body) { return .topicError(reason: keyMismatch) }
            return response.status == 400 ? .payloadError(reason: reason) : .credentialError(reason: reason)
        case 407: return .credentialError(reason: reason)
        case 408, 425: return .unavailable(reason: reason, retryAfter: retryAfter)
        // Microsoft's service throttles with 406.
        case 406, 429: return .throttled(reason: reason, retryAfter: retryAfter)
        case 400...499: return .payloadError(reason: reason)
        // 5xx, and statuses that these services never send (a redirection): something else responded in its place.
        default: return .unavailable(reason: reason, retryAfter: retryAfter)
        }
    }

    /// The reason for a subscription that was made with a key other than the app's present one. Such a subscription is
    /// for another sender, as an APNs token may be for another app. The key itself may be valid.
    package static let keyMismatch = "vapidKeyMismatch"

    /// The words of Google's, Mozilla's and Apple's services for a key mismatch. Google's word is also for a
    /// subscription that was made without a key, for a sender's number.
    private static let mismatchWords = [
        "do not correspond to the credentials used to create the subscription", "public key mismatch",
        "vapidpkhashmismatch", "does not correspond to the sender id used to subscribe", "unauthorizedregistration",
    ]

    private static func namesAnotherKey(_ body: [UInt8]) -> Bool {
        let text = String(decoding: body, as: UTF8.self).lowercased()
        return mismatchWords.contains { text.contains($0) }
    }

    /// Apple's service responds `{"reason":"BadJwtToken"}`. Nothing of the other services' bodies is kept.
    private static func reason(in body: [UInt8]) -> String? {
        guard !body.isEmpty, let said = try? CheckedJSON.decode(Reason.self, from: body) else { return nil }
        return ReasonWord.checked(said.reason)
    }

    private struct Reason: Decodable {
        let reason: String
    }
}
