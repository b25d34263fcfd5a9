import BelfryModel
import Foundation

/// The holder of messages: a contact, on all its devices, or an installation while nobody is logged in on it (MC-15).
package enum MessageHolder: Hashable, Sendable {
    case contact(Int64)
    /// An installation, by the number of its device.
    case installation(Int64)

    /// The contact's number, or the negated number of the installation's device.
    package var number: Int64 {
        switch self {
        case .contact(let contact): contact
        case .installation(let device): -device
        }
    }

    package init(number: Int64) {
        self = number < 0 ? .installation(-number) : .contact(number)
    }
}

/// A message that a campaign places in a message center of its holder.
package struct KeptMessage: Hashable, Sendable {
    /// The number of its ``MessageHolder``.
    package var contact: Int64
    package var center: MessageCenterName
    package var sentAt: Date
    package var campaign: CampaignID
    package var app: Int64
    /// The variant of the content; nil: the content itself.
    package var variant: String?
    package var expiresAt: Date?
    /// The text for this contact, if it comes from a template. Nil: the text that
    /// ``MessageCenterMessageRepository/saveContent`` has stored.
    package var body: String?
    package var richHTML: String?
    /// For a message in an installation's inbox: the contact whose values are in the text; nil for a text without any.
    package var madeFrom: Int64?

    package init(
        contact: Int64, center: MessageCenterName, sentAt: Date, campaign: CampaignID, app: Int64,
        variant: String? = nil, expiresAt: Date? = nil, body: String? = nil, richHTML: String? = nil,
        madeFrom: Int64? = nil
    ) {
        self.contact = contact
        self.center = center
        self.sentAt = sentAt
        self.campaign = campaign
        self.app = app
        self.variant = variant
        self.expiresAt = expiresAt
        self.body = body
        self.richHTML = richHTML
        self.madeFrom = madeFrom
    }
}

/// A stored message, for display.
package struct MessageCenterMessageRow: Hashable, Sendable {
    package let campaign: CampaignID
    package let center: MessageCenterName
    package let sentAt: Date
    package let expiresAt: Date?
    package let state: MessageState
    /// The row's own text, or else the campaign's: JSON that is passed on unchanged.
    package let body: [UInt8]

    /// The columns of `center_messages m`. The campaign's content is looked up for each displayed row, however an
    /// engine would plan a join.
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case campaign, center, sentAt, expiresAt, state, body

        var sql: SQLText {
            switch self {
            case .campaign: "m.campaign_id"
            case .center: "m.center"
            case .sentAt: "m.sent_at"
            case .expiresAt: "m.expires_at"
            case .state: "m.state"
            case .body: MessageCenterMessageRow.own("body")
            }
        }
    }

    /// The row's own value of a column, or else the campaign's.
    static func own(_ column: SQLText) -> SQLText {
        """
        coalesce(m.\(column), (SELECT c.\(column) FROM center_contents c
            WHERE c.campaign_id = m.campaign_id AND c.variant = m.variant))
        """
    }

    /// The columns, with null for texts that are longer.
    static func columns(textsUpTo maximum: Int, _ dialect: any Dialect) -> SQLText {
        let own: SQLText = """
            CASE WHEN m.body IS NULL THEN (
                SELECT CASE WHEN \(dialect.bytes(of: "c.body")) <= \(maximum) THEN c.body END FROM center_contents c
                WHERE c.campaign_id = m.campaign_id AND c.variant = m.variant)
            WHEN \(dialect.bytes(of: "m.body")) <= \(maximum) THEN m.body END
            """
        return Column.allCases.map { $0 == .body ? own : $0.sql }.joined(by: ", ")
    }

    init(_ row: any SQLRow) throws {
        let columns = ResultRow<Column>(row)
        guard !columns.isNull(.body) else { throw Self.corrupted(row) }
        try self.init(row, body: columns.utf8(.body))
    }

    /// - Parameter body: instead of what the row has.
    init(_ row: any SQLRow, body: [UInt8]) throws {
        let columns = ResultRow<Column>(row)
        guard let campaign = CampaignID(columns.integer(.campaign)),
            let state = MessageState(rawValue: columns.text(.state))
        else { throw Self.corrupted(row) }
        self.init(
            campaign: campaign, center: MessageCenterName(stored: columns.text(.center)), sentAt: columns.date(.sentAt),
            expiresAt: columns.optionalDate(.expiresAt), state: state, body: body
        )
    }

    private init(
        campaign: CampaignID, center: MessageCenterName, sentAt: Date, expiresAt: Date?, state: MessageState,
        body: [UInt8]
    ) {
        (self.campaign, self.center, self.state) = (campaign, center, state)
        (self.sentAt, self.expiresAt, self.body) = (sentAt, expiresAt, body)
    }

    private static func corrupted(_ row: any SQLRow) -> StoreError {
        .corrupted(table: "center_messages", key: String(row.integer(Column.campaign.rawValue)))
    }

    /// The same with other words.
    func saying(_ body: [UInt8]) -> MessageCenterMessageRow {
        MessageCenterMessageRow(
            campaign: campaign, center: center, sentAt: sentAt, expiresAt: expiresAt, state: state, body: body
        )
    }

    /// Whether the holder may still see the message.
    package func isShown(at now: Date) -> Bool {
        state != .deleted && expiresAt.map { $0 > now } ?? true
    }
}
