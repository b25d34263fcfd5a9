import BelfryModel
import BelfryStore

/// A recipient who gets the message now, unless a cap or a rate limit says otherwise.
struct Candidate: Sendable {
    let recipient: Recipient
    let token: PushToken
    let timing: MessageTiming
    let due: DeliveryUpdate.Due?
}
