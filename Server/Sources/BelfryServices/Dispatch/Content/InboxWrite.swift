import BelfryModel
import BelfryStore

/// A recipient for whom the server stores a message center message or a new badge before it sends the push (MC-3,
/// BADGE-1).
struct InboxWrite: Sendable {
    let recipient: Recipient
    let timing: MessageTiming
    let due: DeliveryUpdate.Due?
    /// The push; nil for a recipient who gets only the message.
    let push: Candidate?
}

extension InboxWrite {
    init(_ candidate: Candidate) {
        self.init(
            recipient: candidate.recipient, timing: candidate.timing, due: candidate.due, push: candidate
        )
    }

    /// The same without its push.
    var alone: InboxWrite {
        InboxWrite(recipient: recipient, timing: timing, due: due, push: nil)
    }
}
