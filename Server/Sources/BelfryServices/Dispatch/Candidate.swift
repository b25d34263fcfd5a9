import BelfryModel
import BelfryStore

/// A recipient who gets the message now, unless a cap or a rate limit says otherwise.
///
/// A reference, though it never changes: it is passed on from step to step, and a copy would count a dozen others.
final class Candidate: Sendable {
    let recipient: Recipient
    let token: PushToken
    let timing: MessageTiming
    let due: DeliveryUpdate.Due?

    init(recipient: Recipient, token: PushToken, timing: MessageTiming, due: DeliveryUpdate.Due?) {
        self.recipient = recipient
        self.token = token
        self.timing = timing
        self.due = due
    }
}
