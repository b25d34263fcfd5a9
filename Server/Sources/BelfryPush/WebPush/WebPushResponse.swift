import BelfryModel
import BelfryServerModel
import Foundation

/// What an answer of a browser's push service means.
///
/// Source: RFC 8030 §5 to §7, RFC 8292 §4.2. The status decides, for each service words its bodies as it likes; only
/// that a subscription was made with another key is read from them.
package enum WebPushResponse {
    /// - Parameter keepsWord: whether a word of the body may be kept as the reason. A host that may be a stranger's says
    ///   what it likes, another word each time: ledgers and metrics are summed up by their reasons (SEC-5, SEC-9).
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
        // 201 by RFC 8030; 202 with a receipt; 200 and 204 are other services' words for the same.
        case 200, 201, 202, 204: return .accepted
        // Gone for good, or for its service there never was one.
        case 404, 410: return .tokenInvalid(reason: reason, since: nil)
        case 400, 401, 403:
            if namesAnotherKey(response.body) { return .topicError(reason: keyMismatch) }
            return response.status == 400 ? .payloadError(reason: reason) : .credentialError(reason: reason)
        case 407: return .credentialError(reason: reason)
        case 408, 425: return .unavailable(reason: reason, retryAfter: retryAfter)
        // Microsoft's service throttles with 406.
        case 406, 429: return .throttled(reason: reason, retryAfter: retryAfter)
        case 400...499: return .payloadError(reason: reason)
        // 5xx, and what is none of their answers (a redirection): somebody else answered in its place.
        default: return .unavailable(reason: reason, retryAfter: retryAfter)
        }
    }

    /// The reason of a subscription that was made with another key than the app's present one. Such a subscription is
    /// for another sender, as an APNs token may be for another app; the key itself may be all right.
    package static let keyMismatch = "vapidKeyMismatch"

    /// How Google's, Mozilla's and Apple's services say so; Google's also of a subscription that was made without a key,
    /// for a sender's number.
    private static let mismatchWords = [
        "do not correspond to the credentials used to create the subscription", "public key mismatch",
        "vapidpkhashmismatch", "does not correspond to the sender id used to subscribe", "unauthorizedregistration",
    ]

    private static func namesAnotherKey(_ body: [UInt8]) -> Bool {
        let text = String(decoding: body, as: UTF8.self).lowercased()
        return mismatchWords.contains { text.contains($0) }
    }

    /// Apple's service says `{"reason":"BadJwtToken"}`; of the others' bodies nothing is kept.
    private static func reason(in body: [UInt8]) -> String? {
        guard !body.isEmpty, let said = try? CheckedJSON.decode(Reason.self, from: body) else { return nil }
        return ReasonWord.checked(said.reason)
    }

    private struct Reason: Decodable {
        let reason: String
    }
}
