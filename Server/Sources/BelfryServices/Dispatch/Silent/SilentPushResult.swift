import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// The result of one attempt at a silent push.
struct SilentPushResult: Sendable {
    let push: ClaimedSilentPush
    let end: SilentPushEnd
    var optOut: TokenOptOut?
    /// The outcome at the push service; nil when nothing was sent to it.
    var outcome: PushOutcome?
    var provider: PushProvider?
    /// Whether the push was accepted after the last push to the device was rejected because of the sender's
    /// credentials.
    var endsRejection = false

    /// The result for a push that is not sent.
    static func dropped(_ push: ClaimedSilentPush, _ cause: SilentPushCause) -> SilentPushResult {
        SilentPushResult(push: push, end: .dropped(cause))
    }

    /// The result after an attempt. The consequences for the token are those of any other push (REG-31).
    static func after(
        _ attempt: CompletedAttempt, _ push: ClaimedSilentPush, jitter: () -> Double
    ) -> SilentPushResult {
        switch attempt.end {
        case .noCredentials: dropped(push, .noCredentials)
        // Cannot happen: the content is the same for every recipient.
        case .unrenderable: dropped(push, .payloadError)
        case .outcome(let outcome):
            SilentPushResult(
                push: push, end: .after(outcome, push.state, now: attempt.at, random: jitter()),
                optOut: TokenOptOut(after: outcome, attempt.candidate, now: attempt.at), outcome: outcome,
                provider: attempt.candidate.token.provider,
                endsRejection: outcome == .accepted && attempt.candidate.wasRejected
            )
        }
    }
}

extension SilentPushEnd {
    /// The result's word in metrics and traces.
    var word: String {
        switch self {
        case .accepted: "accepted"
        case .again: "again"
        case .dropped(let cause, _): cause.rawValue
        }
    }
}

extension Metrics {
    func count(_ results: [SilentPushResult]) {
        for (word, ends) in Dictionary(grouping: results, by: \.end.word) {
            add(ends.count, to: "belfry_silent_pushes_total{outcome=\"\(word)\"}")
        }
    }
}
