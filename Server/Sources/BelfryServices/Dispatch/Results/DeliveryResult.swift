import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// The meaning of one outcome, or of a decision before the send, for the ledger and for the device.
///
/// A class, although it is immutable: there are millions with the same few values, and copies are expensive.
final class DeliveryResult: Error, Sendable {
    let update: DeliveryUpdate
    let optOut: TokenOptOut?
    /// The outcome at the push service; nil when nothing was sent to it.
    let outcome: PushOutcome?
    let provider: PushProvider?
    /// How long the push service took to respond, in seconds; nil if nothing was sent to it.
    let took: TimeInterval?
    /// Whether the outcome may count as evidence about the sender: not if it comes from a host that anybody may run.
    let tellsOfSender: Bool
    /// Whether the push service accepted this push after it rejected the last one to the device because of the sender's
    /// credentials.
    let endsRejection: Bool

    init(
        update: DeliveryUpdate, optOut: TokenOptOut? = nil, outcome: PushOutcome? = nil, provider: PushProvider? = nil,
        took: TimeInterval? = nil, tellsOfSender: Bool = true, endsRejection: Bool = false
    ) {
        self.took = took
        self.tellsOfSender = tellsOfSender
        self.endsRejection = endsRejection
        self.update = update
        self.optOut = optOut
        self.outcome = outcome
        self.provider = provider
    }

    /// Whether the push service accepted the message.
    var isAccepted: Bool {
        if case .accepted? = outcome { true } else { false }
    }

    /// The result for a message that is not sent. If it was tried before, it may have arrived. Then it ends as
    /// `expired` if its time is over and the push service has responded "later", otherwise as `noAnswer` (LED-1).
    static func suppressed(_ recipient: Recipient, _ reason: DeliveryReason) -> DeliveryResult {
        guard recipient.triedAt == nil else {
            // For a message whose time is over, or will be before the device's budget has room, the last result of the
            // push service or the connection says more.
            let isOver = reason == .expired || reason == .silentBudget
            let lastWord = isOver ? recipient.note : nil
            let wasDeferred = isOver && recipient.wasDeferred
            return DeliveryResult(
                update: DeliveryUpdate(
                    device: recipient.device, state: .rejected,
                    reason: wasDeferred ? DeliveryReason.expired : .noAnswer, attempts: recipient.attempts,
                    note: lastWord ?? DeliveryNote.abandoned(reason).text
                )
            )
        }
        // It was never tried, because the device's budget was used up.
        let isHeldBack = reason == .expired && recipient.lastNote == .waitingForBudget
        return DeliveryResult(
            update: DeliveryUpdate(
                device: recipient.device, state: .suppressed, reason: isHeldBack ? .silentBudget : reason,
                attempts: recipient.attempts
            )
        )
    }

    static func unrenderable(_ recipient: Recipient, _ error: RenderError) -> DeliveryResult {
        let result = suppressed(recipient, .renderError)
        guard recipient.triedAt == nil else { return result }
        var update = result.update
        update.note = "\(error.field): \(error.sentence)"
        return DeliveryResult(update: update)
    }

    /// The result for a message that stays pending until then. The note on an attempt before the wait stays known
    /// (LED-1).
    static func waiting(_ recipient: Recipient, until date: Date, note: String) -> DeliveryResult {
        DeliveryResult(
            update: DeliveryUpdate(
                device: recipient.device, state: .pending, attempts: recipient.attempts, retryAt: date,
                note: recipient.note, due: .init(at: date, note: note)
            )
        )
    }

    /// The result for a silent push that stays pending until the device's budget has room again. The note on an earlier
    /// attempt stays known.
    static func waitingForBudget(_ recipient: Recipient, until date: Date) -> DeliveryResult {
        DeliveryResult(
            update: DeliveryUpdate(
                device: recipient.device, state: .pending, attempts: recipient.attempts, retryAt: date,
                note: recipient.note ?? DeliveryNote.waitingForBudget.text
            )
        )
    }

    /// The result for a silent push without content of its own when another silent push has woken the device.
    static func merged(_ recipient: Recipient) -> DeliveryResult {
        DeliveryResult(
            update: DeliveryUpdate(
                device: recipient.device, state: .accepted, attempts: recipient.attempts,
                note: DeliveryNote.merged.text
            )
        )
    }

    static func after(
        _ attempt: CompletedAttempt, _ load: BatchContext, jitter: () -> Double
    ) -> DeliveryResult {
        switch attempt.end {
        case .outcome(let outcome): after(outcome, attempt, load, jitter: jitter)
        case .unrenderable(let error): unrenderable(attempt.candidate.recipient, error)
        case .noCredentials: suppressed(attempt.candidate.recipient, .noCredentials)
        }
    }

    private static func after(
        _ outcome: PushOutcome, _ attempt: CompletedAttempt, _ load: BatchContext, jitter: () -> Double
    ) -> DeliveryResult {
        let (candidate, now) = (attempt.candidate, attempt.at)
        let recipient = candidate.recipient
        let attempts = recipient.attempts + (outcome.isAttempt ? 1 : 0)
        if case .accepted = outcome {
            let update = DeliveryUpdate(
                device: recipient.device, state: .accepted, attempts: attempts, due: candidate.due
            )
            return DeliveryResult(
                update: update, outcome: outcome, provider: candidate.token.provider, took: attempt.seconds,
                tellsOfSender: attempt.tellsOfSender, endsRejection: candidate.wasRejected
            )
        }
        // A late first attempt is retried as long as any other.
        let retriesFrom = max(load.retriesFrom, recipient.triedAt ?? now)
        let decision = DeliveryDecision.decide(
            outcome: outcome, attempt: attempts, wasDeferred: recipient.wasDeferred, now: now,
            expiresAt: candidate.timing.lastRetry(retriesFrom: retriesFrom),
            resendUntil: candidate.timing.lastResend(retriesFrom: retriesFrom),
            triedFor: now.timeIntervalSince(retriesFrom), random: jitter()
        )
        var update = DeliveryUpdate(
            device: recipient.device, state: .pending, attempts: attempts,
            note: outcome.note(after: recipient.lastNote)?.text, due: candidate.due, triedAt: now
        )
        switch decision {
        case .final(let state, let reason):
            update.state = state
            update.reason = reason
            // For a send whose time is over, the note on the last attempt is more informative.
            if reason != .noAnswer, reason != .expired { update.note = nil }
        case .retry(let date), .renewCredentialAndRetry(let date):
            update.retryAt = date
        case .hold:
            break
        }
        return DeliveryResult(
            update: update, optOut: TokenOptOut(after: outcome, candidate, now: now), outcome: outcome,
            provider: candidate.token.provider, took: attempt.seconds, tellsOfSender: attempt.tellsOfSender
        )
    }
}

extension Recipient {
    /// The note on the last attempt.
    fileprivate var lastNote: DeliveryNote? { note.map(DeliveryNote.init(text:)) }

    /// Whether the push service has responded to an attempt. All responses after which a send stays pending mean
    /// "later".
    fileprivate var wasDeferred: Bool { lastNote?.lastAnswer != nil }
}

extension DeliveryResult {
    /// The label of the metric. Pending messages that only wait for their time say nothing about push services, so they
    /// count separately from those that alerts watch.
    fileprivate var countedState: String {
        update.state == .pending && outcome == nil ? "waiting" : update.state.rawValue
    }
}

extension PushOutcome {
    /// Whether it counts as an attempt: a request that was never sent does not.
    fileprivate var isAttempt: Bool {
        if case .notSent = self { false } else { true }
    }
}

extension Metrics {
    func countDeliveries(_ results: [DeliveryResult]) {
        var counts: [String: Int] = [:]
        for result in results { counts[result.countedState, default: 0] += 1 }
        for (state, count) in counts {
            add(count, to: "belfry_deliveries_total{state=\"\(state)\"}")
        }
        countReasons(results)
    }
}
