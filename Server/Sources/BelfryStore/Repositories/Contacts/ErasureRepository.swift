import Foundation

/// The receipt of an erasure (ADM-4): what was removed and when, without any data of the person.
package struct ErasureReceipt: Hashable, Sendable {
    /// The receipt's name, by which it can be retrieved later.
    package let name: String
    /// The number of the erased contact, which no longer refers to anything.
    package let contact: Int64
    package let startedAt: Date
    /// Nil while the erasure is under way, or if it was interrupted.
    package let endedAt: Date?
    package let removed: RemovedCounts

    package init(name: String, contact: Int64, startedAt: Date, endedAt: Date?, removed: RemovedCounts) {
        self.name = name
        self.contact = contact
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.removed = removed
    }
}

/// How much an erasure has removed.
package struct RemovedCounts: Hashable, Sendable {
    package var devices: Int
    package var events: Int
    /// Messages in message centers.
    package var messages: Int
    /// Rows of the ledger. They stay, without the person.
    package var deliveries: Int

    package init(devices: Int = 0, events: Int = 0, messages: Int = 0, deliveries: Int = 0) {
        self.devices = devices
        self.events = events
        self.messages = messages
        self.deliveries = deliveries
    }
}

extension ErasureReceipt {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case name, contact, startedAt, endedAt, devices, events, messages, deliveries

        var sql: SQLText {
            switch self {
            case .name: "receipt"
            case .contact: "contact_id"
            case .startedAt: "started_at"
            case .endedAt: "ended_at"
            case .devices: "devices"
            case .events: "events"
            case .messages: "messages"
            case .deliveries: "deliveries"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            name: row.text(.name), contact: row.integer(.contact), startedAt: row.date(.startedAt),
            endedAt: row.optionalDate(.endedAt),
            removed: RemovedCounts(
                devices: Int(row.integer(.devices)), events: Int(row.integer(.events)),
                messages: Int(row.integer(.messages)), deliveries: Int(row.integer(.deliveries))
            )
        )
    }
}

package struct ErasureRepository {
    let connection: any SQLConnection

    /// Adds the removals of one step to the receipt of the contact's erasure; the first step makes the receipt.
    ///
    /// - Parameters:
    ///   - name: the name for a new receipt.
    ///   - isDone: whether this was the last step.
    package func note(
        _ removed: RemovedCounts, of contact: Int64, app: Int64, name: String, isDone: Bool, now: Date
    ) throws -> ErasureReceipt {
        let counts: [SQLValue] = [
            .integer(removed.devices), .integer(removed.events), .integer(removed.messages),
            .integer(removed.deliveries),
        ]
        let end = isDone ? SQLValue.date(now) : .null
        let changed = try connection.query(
            """
            UPDATE erasures SET devices = devices + ?, events = events + ?, messages = messages + ?,
                deliveries = deliveries + ?, ended_at = CAST(? AS BIGINT)
            WHERE contact_id = ? AND ended_at IS NULL RETURNING \(ErasureReceipt.columns)
            """,
            counts + [end, .integer(contact)], ErasureReceipt.init
        )
        if let receipt = changed.first { return receipt }
        let begun = try connection.query(
            """
            INSERT INTO erasures (receipt, app_id, contact_id, started_at, ended_at, devices, events, messages,
                deliveries)
            VALUES (?, ?, ?, ?, CAST(? AS BIGINT), ?, ?, ?, ?) RETURNING \(ErasureReceipt.columns)
            """,
            [.text(name), .integer(app), .integer(contact), .date(now), end] + counts, ErasureReceipt.init
        )
        guard let receipt = begun.first else { throw StoreError.corrupted(table: "erasures", key: name) }
        return receipt
    }

    /// Whether the erasure of a contact has begun, at or after a moment, and has not ended.
    package func isUnderWay(of contact: Int64, since moment: Date = .distantPast) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM erasures WHERE contact_id = ? AND ended_at IS NULL AND started_at >= ? LIMIT 1",
            [.integer(contact), .date(moment)]
        ) { $0.flag(0) } ?? false
    }

    package func find(_ name: String, app: Int64) throws -> ErasureReceipt? {
        try connection.first(
            "SELECT \(ErasureReceipt.columns) FROM erasures WHERE receipt = ? AND app_id = ?",
            [.text(name), .integer(app)], ErasureReceipt.init
        )
    }

    /// The receipts of an app below a number, newest first, each with its number.
    package func list(
        app: Int64, before cursor: Int64?, limit: Int
    ) throws -> [(id: Int64, receipt: ErasureReceipt)] {
        let place = ErasureReceipt.Column.columnCount
        return try connection.query(
            Self.listSQL(connection.dialect), [.integer(app), .integer(cursor ?? .max), .integer(limit)]
        ) { (id: $0.integer(place), receipt: ErasureReceipt($0)) }
    }

    /// Its arguments are the app, the cursor and the limit.
    package static func listSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT \(ErasureReceipt.columns), id FROM erasures WHERE \(dialect.isArgument("app_id")) AND id < ?
        ORDER BY app_id DESC, id DESC LIMIT ?
        """
    }
}

extension SQLConnection {
    package var erasures: ErasureRepository { ErasureRepository(connection: self) }
}
