import BelfryModel
import BelfryStore

/// A recipient for whom the server stores a message center message, and perhaps a new badge, regardless of the push
/// (MC-16, BADGE-1).
struct InboxWrite: Sendable {
    let recipient: Recipient
    let timing: MessageTiming
    let due: DeliveryUpdate.Due?
    /// The badge push of a message-center campaign; nil for a recipient who gets only the message.
    let push: Candidate?
}

extension InboxWrite {
    /// The same write without its push.
    var alone: InboxWrite {
        InboxWrite(recipient: recipient, timing: timing, due: due, push: nil)
    }
}
