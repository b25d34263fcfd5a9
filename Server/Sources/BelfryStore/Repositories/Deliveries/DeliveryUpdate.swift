import BelfryModel
import BelfryServerModel
import Foundation

/// How one attempt ended, to be written to the ledger.
package struct DeliveryUpdate: Hashable, Sendable {
    /// When and by which clock the message may leave.
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
    /// Nil: what the row says of it stays.
    package var due: Due?
    /// When it was tried; the first time counts.
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

    /// Whether it says nothing but that the push service took the message.
    var isPlainAcceptance: Bool {
        state == .accepted && reason == nil && note == nil && due == nil
    }
}
