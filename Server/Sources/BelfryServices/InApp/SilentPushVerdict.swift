import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// A silent push that a worker has taken up.
struct TakenSilentPush: Sendable {
    let device: Int64
    /// As it was taken.
    let state: SilentPushState
    /// Whether the same push may have left before.
    let isRepeat: Bool
}

/// What one attempt at a silent push came to.
struct SilentPushVerdict: Sendable {
    let push: TakenSilentPush
    let end: SilentPushEnd
    var optOut: TokenOptOut?
    /// What the push service is held to have said; nil when nothing was asked of it.
    var outcome: PushOutcome?
    var provider: PushProvider?

    /// Its end is decided before it leaves.
    static func dropped(_ push: TakenSilentPush, _ cause: SilentPushCause) -> SilentPushVerdict {
        SilentPushVerdict(push: push, end: .dropped(cause))
    }

    /// After an attempt; the token fares as with any other push (REG-31).
    static func after(
        _ outcome: PushOutcome, _ push: TakenSilentPush, _ recipient: Recipient, _ token: PushToken, now: Date,
        jitter: () -> Double
    ) -> SilentPushVerdict {
        let consequence = FeedbackConsequence.consequence(
            of: outcome, tokenRegisteredAt: recipient.tokenAt ?? .distantPast, now: now
        )
        return SilentPushVerdict(
            push: push, end: .after(outcome, push.state, now: now, random: jitter()),
            optOut: consequence.optOut.map {
                TokenOptOut(
                    device: push.device, token: token.value, invalidSince: outcome.invalidSince, optOut: $0
                )
            },
            outcome: outcome, provider: token.provider
        )
    }
}

extension SilentPushEnd {
    /// For the figures.
    var word: String {
        switch self {
        case .accepted: "accepted"
        case .again: "again"
        case .dropped(let cause, _): cause.rawValue
        }
    }
}

extension Metrics {
    func count(_ verdicts: [SilentPushVerdict]) {
        for (word, ends) in Dictionary(grouping: verdicts, by: \.end.word) {
            add(ends.count, to: "belfry_silent_pushes_total{outcome=\"\(word)\"}")
        }
    }
}
