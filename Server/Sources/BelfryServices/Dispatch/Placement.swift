import BelfryModel
import BelfryStore

/// A recipient for whom something changes on the server before their push leaves: a message is kept in a centre, or the
/// badge counts (MC-3, BADGE-1).
struct Placement: Sendable {
    let recipient: Recipient
    let timing: MessageTiming
    let due: DeliveryUpdate.Due?
    /// What is sent; nil for who gets the message alone.
    let push: Candidate?
}

extension Placement {
    init(_ candidate: Candidate) {
        self.init(
            recipient: candidate.recipient, timing: candidate.timing, due: candidate.due, push: candidate
        )
    }

    /// Without its push.
    var alone: Placement {
        Placement(recipient: recipient, timing: timing, due: due, push: nil)
    }
}
