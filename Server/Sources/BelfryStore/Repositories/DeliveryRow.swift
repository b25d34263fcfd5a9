import BelfryModel
import Foundation

/// One row of the ledger (LED-1).
package struct DeliveryRow: Hashable, Sendable {
    package let campaign: CampaignID
    package let state: DeliveryState
    package let reason: DeliveryReason?
    package let attempts: Int
    package let retryAt: Date?
    /// What the last attempt met, while it is pending or when it ended without an answer.
    package let note: String?
    /// When the message might leave where the recipient is, and by which clock; nil when it did not wait for that.
    package let due: DeliveryUpdate.Due?
    package let updatedAt: Date
    package let engagements: [Engagement: Date]
    /// Whose the device was when the audience was planned.
    package let contact: Int64?
    /// Whether the campaign has changed the device's badge.
    package let isBadged: Bool

    package init(
        campaign: CampaignID, state: DeliveryState, reason: DeliveryReason?, attempts: Int, note: String?,
        updatedAt: Date
    ) {
        self.campaign = campaign
        self.state = state
        self.reason = reason
        self.attempts = attempts
        retryAt = nil
        self.note = note
        due = nil
        self.updatedAt = updatedAt
        engagements = [:]
        contact = nil
        isBadged = false
    }

    /// Of `deliveries l`.
    static let columns: SQLText = """
        l.campaign_id, l.state, l.reason, l.attempts, l.retry_at, l.note, l.updated_at, l.received_at, l.displayed_at,
        l.opened_at, l.dismissed_at, l.due_at, l.due_note, l.contact_id, l.badged
        """

    init(_ row: any SQLRow) throws {
        guard let campaign = CampaignID(row.integer(0)), let state = DeliveryState(rawValue: row.text(1)) else {
            throw StoreError.corrupted(table: "deliveries", key: row.text(0))
        }
        let times: [Engagement: Date?] = [
            .received: row.dateIfAny(7), .displayed: row.dateIfAny(8), .opened: row.dateIfAny(9),
            .dismissed: row.dateIfAny(10),
        ]
        self.campaign = campaign
        self.state = state
        reason = row.textIfAny(2).map(DeliveryReason.init(rawValue:))
        attempts = Int(row.integer(3))
        retryAt = row.dateIfAny(4)
        note = row.textIfAny(5)
        updatedAt = row.date(6)
        engagements = times.compactMapValues { $0 }
        due = row.dateIfAny(11).map { .init(at: $0, note: row.text(12)) }
        contact = row.integerIfAny(13)
        isBadged = !row.isNull(14)
    }
}
