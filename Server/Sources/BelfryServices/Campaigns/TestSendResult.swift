import BelfryModel

/// What became of a test message to one device (CAMP-7).
package struct TestSendResult: Hashable, Sendable {
    package let device: String
    /// A delivery state: accepted, suppressed, rejected.
    package let state: DeliveryState
    package let reason: DeliveryReason?
    /// The same for people.
    package let sentence: String

    package init(device: String, state: DeliveryState, reason: DeliveryReason? = nil, sentence: String) {
        self.device = device
        self.state = state
        self.reason = reason
        self.sentence = sentence
    }
}
