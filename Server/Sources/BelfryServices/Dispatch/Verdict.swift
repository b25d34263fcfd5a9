import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// What one outcome, or a decision before the send, means for the ledger and for the device.
///
/// A reference, though it never changes: most of a million say the same few words, and a copy would copy them all.
final class Verdict: Error, Sendable {
    let update: DeliveryUpdate
    let optOut: TokenOptOut?
    /// What the push service is held to have said; nil when nothing was asked of it.
    let outcome: PushOutcome?
    let provider: PushProvider?

    init(
        update: DeliveryUpdate, optOut: TokenOptOut? = nil, outcome: PushOutcome? = nil, provider: PushProvider? = nil
    ) {
        self.update = update
        self.optOut = optOut
        self.outcome = outcome
        self.provider = provider
    }

    /// The push service took the message.
    var isAccepted: Bool {
        if case .accepted? = outcome { true } else { false }
    }

    /// It is not sent. What was tried before may have arrived: it ends without an answer (LED-1).
    static func suppressed(_ recipient: Recipient, _ reason: DeliveryReason) -> Verdict {
        guard recipient.triedAt == nil else {
            // When its time is over, the last word of the push service, or of the connection, says more.
            let lastWord = reason == .expired ? recipient.note : nil
            return Verdict(
                update: DeliveryUpdate(
                    device: recipient.device, state: .rejected, reason: .noAnswer, attempts: recipient.attempts,
                    note: lastWord ?? DeliveryNote.givenUp(reason).text
                )
            )
        }
        return Verdict(
            update: DeliveryUpdate(
                device: recipient.device, state: .suppressed, reason: reason, attempts: recipient.attempts
            )
        )
    }

    static func unrenderable(_ recipient: Recipient, _ fault: RenderFault) -> Verdict {
        let verdict = suppressed(recipient, .renderError)
        guard recipient.triedAt == nil else { return verdict }
        var update = verdict.update
        update.note = "\(fault.field): \(fault.sentence)"
        return Verdict(update: update)
    }

    /// It stays pending until then.
    static func waiting(_ recipient: Recipient, until date: Date, note: String) -> Verdict {
        Verdict(
            update: DeliveryUpdate(
                device: recipient.device, state: .pending, attempts: recipient.attempts, retryAt: date,
                due: .init(at: date, note: note)
            )
        )
    }

    /// After an attempt.
    static func after(
        _ outcome: PushOutcome, _ candidate: Candidate, _ load: RoundLoad, now: Date, jitter: () -> Double
    ) -> Verdict {
        let recipient = candidate.recipient
        let attempts = recipient.attempts + (outcome.isAttempt ? 1 : 0)
        if case .accepted = outcome {
            let update = DeliveryUpdate(
                device: recipient.device, state: .accepted, attempts: attempts, due: candidate.due
            )
            return Verdict(update: update, outcome: outcome, provider: candidate.token.provider)
        }
        // A late first attempt is retried for as long as any other.
        let retriesFrom = max(load.retriesFrom, recipient.triedAt ?? now)
        let decision = DeliveryDecision.decide(
            outcome: outcome, attempt: attempts, now: now,
            expiresAt: candidate.timing.lastRetry(retriesFrom: retriesFrom),
            resendUntil: candidate.timing.lastResend(retriesFrom: retriesFrom),
            triedFor: now.timeIntervalSince(retriesFrom), random: jitter()
        )
        var update = DeliveryUpdate(
            device: recipient.device, state: .pending, attempts: attempts, note: outcome.note?.text, due: candidate.due,
            triedAt: now
        )
        switch decision {
        case .final(let state, let reason):
            update.state = state
            update.reason = reason
            // Of a send that nobody answered for good, the last word says more.
            if reason != .noAnswer { update.note = nil }
        case .retry(let date), .renewCredentialAndRetry(let date):
            update.retryAt = date
        case .hold:
            break
        }
        return Verdict(
            update: update, optOut: optOut(after: outcome, candidate, now: now), outcome: outcome,
            provider: candidate.token.provider
        )
    }

    private static func optOut(after outcome: PushOutcome, _ candidate: Candidate, now: Date) -> TokenOptOut? {
        let consequence = FeedbackConsequence.consequence(
            of: outcome, tokenRegisteredAt: candidate.recipient.tokenAt ?? .distantPast, now: now
        )
        return consequence.optOut.map {
            TokenOptOut(
                device: candidate.recipient.device, token: candidate.token.value, invalidSince: outcome.invalidSince,
                optOut: $0
            )
        }
    }
}
