import BelfryModel
import BelfryStore

extension Verdict {
    /// The message lies in its centre, and no push goes with it.
    static func placed(_ placement: Placement) -> Verdict {
        Verdict(
            update: DeliveryUpdate(
                device: placement.recipient.device, state: .accepted, attempts: placement.recipient.attempts,
                due: placement.due
            )
        )
    }

    /// The same about a message that lies in its centre: however its badge push ended, it was placed, and that is
    /// accepted (LED-1). Why the push came to nothing is noted.
    var placed: Verdict {
        guard update.state == .rejected || update.state == .suppressed else { return self }
        let why = update.note.map(DeliveryNote.init(text:)) ?? update.reason.map { .answered($0.rawValue) }
        var update = update
        update.state = .accepted
        update.reason = nil
        update.note = why.map { DeliveryNote.badge($0.word).text }
        return Verdict(update: update, optOut: optOut, outcome: outcome, provider: provider)
    }

    /// What the campaign's ledger says of it.
    func inLedger(of load: RoundLoad) -> Verdict {
        // Of a message-centre campaign, a push service is asked only about what has been placed.
        load.isPlacing && outcome != nil ? placed : self
    }
}

extension DeliveryNote {
    /// What came last, in a word of the push service's or of ours.
    fileprivate var word: String {
        switch self {
        case .answered(let word), .unanswered(let word), .notSent(let word), .badge(let word): word
        case .givenUp(let reason): reason.rawValue
        }
    }
}
