import BelfryModel
import BelfryStore

extension DeliveryResult {
    /// The result for a message that is in its message center, without a push.
    static func placed(_ placement: InboxWrite) -> DeliveryResult {
        DeliveryResult(
            update: DeliveryUpdate(
                device: placement.recipient.device, state: .accepted, attempts: placement.recipient.attempts,
                due: placement.due
            )
        )
    }

    /// The same result for a message that is in its message center: it counts as accepted regardless of its badge push
    /// (LED-1). The reason of a failed push becomes the note.
    var placed: DeliveryResult {
        guard update.state == .rejected || update.state == .suppressed else { return self }
        let why = update.note.map(DeliveryNote.init(text:)) ?? update.reason.map { .answered($0.rawValue) }
        var update = update
        update.state = .accepted
        update.reason = nil
        update.note = why.map { DeliveryNote.badge($0.word).text }
        return DeliveryResult(
            update: update, optOut: optOut, outcome: outcome, provider: provider, took: took,
            tellsOfSender: tellsOfSender, endsRejection: endsRejection
        )
    }

    /// The note on a badge push that a cancel ended and whose message is in its message center: the last word on its
    /// attempts, or that the campaign was cancelled.
    static func noteOfCancelledBadgePush(after note: String?) -> String? {
        // Treated as not sent. The note does not depend on the device.
        let ended = DeliveryUpdate(
            device: 0, state: .suppressed, reason: .campaignCancelled, attempts: 0, note: note
        )
        return DeliveryResult(update: ended).placed.update.note
    }

    /// The result for the campaign's ledger.
    func inLedger(of load: BatchContext) -> DeliveryResult {
        // In a message-center campaign pushes are sent only for messages that were placed.
        load.isPlacing && outcome != nil ? placed : self
    }
}

extension DeliveryNote {
    /// The result as a word of the push service or of this server.
    fileprivate var word: String {
        switch self {
        case .answered(let word), .unanswered(let word, _), .notSent(let word, _), .badge(let word): word
        case .abandoned(let reason): reason.rawValue
        case .waitingForBudget, .merged: text
        }
    }
}
