import BelfryModel
import BelfryServerModel
import Foundation

/// A campaign that is paused, and why.
package struct PausedCampaign: Hashable, Sendable {
    package let id: CampaignID
    package let name: String
    package let reason: String?

    package init(id: CampaignID, name: String, reason: String?) {
        self.id = id
        self.name = name
        self.reason = reason
    }
}

/// Queries about an app's campaigns that do not read their content. Each uses an index with few rows.
extension CampaignRepository {
    private static let isUnfinished: SQLText = "status IN ('scheduled', 'sending', 'paused', 'active')"

    /// The newest paused campaigns.
    package func paused(app: Int64, limit: Int) throws -> [PausedCampaign] {
        try connection.query(
            """
            SELECT id, name, status_reason FROM campaigns
            WHERE \(connection.dialect.isArgument("app_id")) AND \(Self.isUnfinished) AND status = 'paused'
                AND deleted_at IS NULL
            ORDER BY app_id DESC, id DESC LIMIT ?
            """,
            [.integer(app), .integer(limit)]
        ) { row in
            CampaignID(row.integer(0)).map {
                PausedCampaign(
                    id: $0, name: row.text(1), reason: row.optionalText(2).map { StatusReason(stored: $0).sentence }
                )
            }
        }.compactMap(\.self)
    }

    /// The given campaigns of the app that place messages in a message center; their content is not read.
    package func keepingMessages(_ ids: [CampaignID], app: Int64) throws -> Set<CampaignID> {
        guard !ids.isEmpty else { return [] }
        let kinds = try connection.query(
            "SELECT id, kind FROM campaigns WHERE id IN (\(connection.dialect.integers)) AND app_id = ?",
            [.integers(ids.map(\.number)), .integer(app)]
        ) { (CampaignID($0.integer(0)), CampaignKind(rawValue: $0.text(1))) }
        return Set(kinds.compactMap { id, kind in kind?.keepsMessage == true ? id : nil })
    }

    /// The numbers of campaigns that are scheduled or not yet over, newest first.
    package func unfinished(app: Int64, limit: Int) throws -> [Int64] {
        try numbers(Self.isUnfinished, app: app, limit)
    }

    /// The numbers of drafts, newest first.
    package func drafts(app: Int64, limit: Int) throws -> [Int64] {
        try numbers("status = 'draft'", app: app, limit)
    }

    /// The numbers of campaigns that were launched within a period and have ended, newest first.
    package func ended(app: Int64, launched: Range<Date>, limit: Int) throws -> [Int64] {
        try connection.query(
            """
            SELECT id FROM campaigns WHERE app_id = ? AND launched_at IS NOT NULL AND launched_at >= ?
                AND launched_at < ? AND status IN ('completed', 'cancelled') AND deleted_at IS NULL
            ORDER BY launched_at DESC LIMIT ?
            """,
            [.integer(app), .date(launched.lowerBound), .date(launched.upperBound), .integer(limit)]
        ) { $0.integer(0) }
    }

    /// The bytes of campaigns' content after which a read stops: a campaign may have a megabyte (SEC-2).
    package static let maximumContentBytes = 4 << 20

    /// Calls `make` for each of some campaigns and returns the results, ordered by number. A campaign that cannot be
    /// read is left out; the others are still returned.
    ///
    /// - Parameter make: called for one campaign after the other, so that long contents need not be in memory together.
    package func each<Element>(_ numbers: [Int64], _ make: (CampaignRow) -> Element?) throws -> [Element] {
        var made: [Element] = []
        var left = numbers
        while !left.isEmpty {
            var room = ByteRoom(Self.maximumContentBytes)
            let read = try connection.query(
                """
                SELECT \(CampaignRow.columns) FROM \(Self.source) WHERE c.id IN (\(connection.dialect.integers))
                ORDER BY c.id
                """,
                [.integers(left)], texts: [CampaignRow.Column.content.rawValue], in: &room
            ) { row in
                (id: row.integer(CampaignRow.Column.id.rawValue), element: (try? CampaignRow(row)).flatMap(make))
            }
            made += read.compactMap(\.element)
            guard room.isCut, let last = read.last else { break }
            left.removeAll { $0 <= last.id }
        }
        return made
    }

    private func numbers(_ condition: SQLText, app: Int64, _ limit: Int) throws -> [Int64] {
        try connection.query(
            """
            SELECT id FROM campaigns WHERE \(connection.dialect.isArgument("app_id")) AND \(condition)
                AND deleted_at IS NULL
            ORDER BY app_id DESC, id DESC LIMIT ?
            """,
            [.integer(app), .integer(limit)]
        ) { $0.integer(0) }
    }

    /// The next campaigns of a status, newest first, older than the cursor. Deleted campaigns are left out.
    package func list(
        app: Int64, status: CampaignStatus, before cursor: Int64?, limit: Int
    ) throws -> [CampaignSummary] {
        try connection.query(
            Self.listOfStatusSQL(connection.dialect),
            [.integer(app), .text(status.rawValue), .integer(cursor ?? .max), .integer(limit)], CampaignSummary.init
        )
    }

    /// Its arguments are the app, the status, the cursor and the limit.
    package static func listOfStatusSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT \(CampaignSummary.columns) FROM campaigns
        WHERE \(dialect.isArgument("app_id")) AND status = ? AND id < ? AND deleted_at IS NULL
        ORDER BY app_id DESC, id DESC LIMIT ?
        """
    }
}
