import BelfryModel
import BelfryServerModel
import Foundation

/// Interprets a response of FCM HTTP v1.
///
/// Sources: Google, "FCM Error Codes"; `google/rpc/error_details.proto` and `google/api/error_reason.proto`. FCM's own
/// error code decides. Without one, the errors that all of Google's services share decide (`ErrorInfo`,
/// `QuotaFailure`), then the canonical status, then the HTTP status.
package enum FCMResponse {
    /// The delay in seconds that Google recommends for a quota error without a time.
    package static let standardQuotaDelay: TimeInterval = 60

    package static func outcome(of result: PushResult, now: Date) -> PushOutcome {
        switch result {
        case .answered(let response): outcome(of: response, now: now)
        case .notProcessed(let reason): .notSent(reason: reason)
        case .unanswered(let reason): .unanswered(reason: reason)
        }
    }

    package static func outcome(of response: PushResponse, now: Date) -> PushOutcome {
        guard response.status != 200 else { return .accepted }
        let error = FCMError(response.body)
        let answer = ResponseBody(
            reason: error.code ?? error.reason ?? error.status ?? "status\(response.status)",
            blamesToken: error.blamesToken,
            retryAfter: RetryAfter.delay(in: response, now: now) ?? error.retryDelay
        )
        let specific = error.code.flatMap(answer.outcome(byCode:)) ?? error.reason.flatMap(answer.outcome(byReason:))
        if let specific { return specific }
        if error.isQuotaFailure { return answer.quota }
        return error.status.flatMap(answer.outcome(byStatus:)) ?? answer.outcome(byHTTPStatus: response.status)
    }
}

private struct ResponseBody {
    let reason: String
    let blamesToken: Bool
    let retryAfter: TimeInterval?

    func outcome(byCode code: String) -> PushOutcome? {
        switch code {
        case "UNREGISTERED": .tokenInvalid(reason: reason, since: nil)
        case "INVALID_ARGUMENT": invalidArgument
        // The token belongs to another Firebase project.
        case "SENDER_ID_MISMATCH": .topicError(reason: reason)
        // The project lacks keys for Apple's or browsers' services; the operator adds them at Google.
        case "THIRD_PARTY_AUTH_ERROR": .credentialError(reason: reason)
        case "QUOTA_EXCEEDED": quota
        case "UNAVAILABLE", "INTERNAL": .unavailable(reason: reason, retryAfter: retryAfter)
        default: nil
        }
    }

    /// The outcome for a reason of Google's API management, which responds before FCM does. These reasons concern the
    /// project and its account, never a token.
    func outcome(byReason reason: String) -> PushOutcome? {
        switch reason {
        case "RATE_LIMIT_EXCEEDED", "RESOURCE_QUOTA_EXCEEDED": quota
        case "SERVICE_DISABLED", "BILLING_DISABLED", "CONSUMER_INVALID", "CONSUMER_SUSPENDED", "USER_PROJECT_DENIED",
            "IAM_PERMISSION_DENIED", "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "ACCOUNT_STATE_INVALID":
            .credentialError(reason: self.reason)
        default: nil
        }
    }

    func outcome(byStatus status: String) -> PushOutcome? {
        switch status {
        case "INVALID_ARGUMENT": invalidArgument
        case "UNAUTHENTICATED": .credentialExpired(reason: reason)
        case "PERMISSION_DENIED": .credentialError(reason: reason)
        // For an unknown token FCM reports UNREGISTERED, so this concerns the project.
        case "NOT_FOUND": .topicError(reason: reason)
        case "RESOURCE_EXHAUSTED": quota
        case "UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED", "ABORTED", "CANCELLED", "UNKNOWN":
            .unavailable(reason: reason, retryAfter: retryAfter)
        default: nil
        }
    }

    func outcome(byHTTPStatus status: Int) -> PushOutcome {
        switch status {
        // An access token may have been revoked early. A new one is requested, and if that is rejected too, the
        // credentials are wrong.
        case 401: .credentialExpired(reason: reason)
        case 403, 407: .credentialError(reason: reason)
        case 404: .topicError(reason: reason)
        case 408, 425: .unavailable(reason: reason, retryAfter: retryAfter)
        case 429: quota
        case 400...499: .payloadError(reason: reason)
        // 5xx, and statuses that FCM never sends (another 2xx, a redirection): something else responded in its place.
        default: .unavailable(reason: reason, retryAfter: retryAfter)
        }
    }

    /// FCM uses the same code for a bad token and a bad message.
    private var invalidArgument: PushOutcome {
        blamesToken ? .tokenMalformed(reason: reason) : .payloadError(reason: reason)
    }

    var quota: PushOutcome {
        .throttled(reason: reason, retryAfter: retryAfter ?? FCMResponse.standardQuotaDelay)
    }
}
