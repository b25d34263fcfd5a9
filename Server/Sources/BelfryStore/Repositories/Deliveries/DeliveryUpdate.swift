import BelfryModel
import BelfryServerModel
import Foundation

/// The result of one attempt, to be written to the ledger.
package struct DeliveryUpdate: Hashable, Sendable {
    /// When the message may be sent, and by which clock.
    package struct Due: Hashable, Sendable {
        package let at: Date
        package let note: String

        package init(at: Date, note: String) {
            self.at = at
            self.note = note
        }
    }

    package var device: Int64
    package var state: DeliveryState
    package var reason: DeliveryReason?
    package var attempts: Int
    package var retryAt: Date?
    package var note: String?
    /// Nil: the row's value stays.
    package var due: Due?
    /// The time of the attempt; the first one counts.
    package var triedAt: Date?

    package init(
        device: Int64, state: DeliveryState, reason: DeliveryReason? = nil, attempts: Int, retryAt: Date? = nil,
        note: String? = nil, due: Due? = nil, triedAt: Date? = nil
    ) {
        self.device = device
        self.state = state
        self.reason = reason
        self.attempts = attempts
        self.retryAt = retryAt
        self.note = note
        self.due = due
        self.triedAt = triedAt
    }

    /// Whether it says only that the push service accepted the message.
    var isPlainAcceptance: Bool {
        state == .accepted && reason == nil && note == nil && due == nil
    }
}
