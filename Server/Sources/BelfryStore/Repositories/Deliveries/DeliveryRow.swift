import BelfryModel
import BelfryServerModel
import Foundation

/// One row of the ledger (LED-1).
package struct DeliveryRow: Hashable, Sendable {
    package let campaign: CampaignID
    package let state: DeliveryState
    package let reason: DeliveryReason?
    package let attempts: Int
    package let retryAt: Date?
    /// The result of the last attempt, while the row is pending or if it ended without a response.
    package let note: String?
    /// When the message may be sent in the recipient's time zone, and by which clock; nil if it did not wait for that.
    package let due: DeliveryUpdate.Due?
    package let updatedAt: Date
    package let engagements: [Engagement: Date]
    /// The device's contact when the audience was planned.
    package let contact: Int64?
    /// Whether the campaign has changed the device's badge.
    package let isBadged: Bool
    /// In whose inbox the message was placed; nil if none was.
    package let holder: MessageHolder?

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
        holder = nil
    }

    /// The columns of `deliveries l`.
    static let columns = Column.selectList(of: "l")

    enum Column: Int, ResultColumn {
        case campaign, state, reason, attempts, retryAt, note, updatedAt, receivedAt, displayedAt, openedAt
        case dismissedAt, dueAt, dueNote, contact, badged, placed

        var sql: SQLText {
            switch self {
            case .campaign: "campaign_id"
            case .state: "state"
            case .reason: "reason"
            case .attempts: "attempts"
            case .retryAt: "retry_at"
            case .note: "note"
            case .updatedAt: "updated_at"
            case .receivedAt: "received_at"
            case .displayedAt: "displayed_at"
            case .openedAt: "opened_at"
            case .dismissedAt: "dismissed_at"
            case .dueAt: "due_at"
            case .dueNote: "due_note"
            case .contact: "contact_id"
            case .badged: "badged"
            case .placed: "placed"
            }
        }
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        guard let campaign = CampaignID(row.integer(.campaign)),
            let state = DeliveryState(rawValue: row.text(.state))
        else { throw StoreError.corrupted(table: "deliveries", key: row.text(.campaign)) }
        let times: [Engagement: Date?] = [
            .received: row.optionalDate(.receivedAt), .displayed: row.optionalDate(.displayedAt),
            .opened: row.optionalDate(.openedAt), .dismissed: row.optionalDate(.dismissedAt),
        ]
        self.campaign = campaign
        self.state = state
        reason = row.optionalText(.reason).map(DeliveryReason.init(rawValue:))
        attempts = Int(row.integer(.attempts))
        retryAt = row.optionalDate(.retryAt)
        note = row.optionalText(.note)
        updatedAt = row.date(.updatedAt)
        engagements = times.compactMapValues { $0 }
        due = row.optionalDate(.dueAt).map { .init(at: $0, note: row.text(.dueNote)) }
        contact = row.optionalInteger(.contact)
        isBadged = !row.isNull(.badged)
        holder = row.optionalInteger(.placed).flatMap { $0 == 0 ? nil : MessageHolder(number: $0) }
    }
}
