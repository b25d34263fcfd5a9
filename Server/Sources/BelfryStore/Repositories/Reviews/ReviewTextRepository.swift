import BelfryModel

/// Texts that people write to each other about campaigns.
package enum ReviewTextKind: Hashable, Sendable, CaseIterable {
    case comment
    /// The reason for an approval or a rejection.
    case reason
}

/// These texts over all campaigns of an app; for the erasure of a person whom they name (ADM-4).
package struct ReviewTextRepository {
    let connection: any SQLConnection

    /// The texts about an app's campaigns, campaign by campaign, after a position. Texts of other apps are not read.
    package func list(
        _ kind: ReviewTextKind, app: Int64, after place: Position?, limit: Int
    ) throws -> [(position: Position, text: String)] {
        let start = place ?? Position(campaign: 0, id: 0)
        return try connection.query(
            Self.listSQL(kind, connection.dialect),
            [
                .integer(app), .integer(start.campaign), .integer(start.campaign), .integer(start.id),
                .integer(limit),
            ]
        ) { (position: Position(campaign: $0.integer(0), id: $0.integer(1)), text: $0.text(2)) }
    }

    /// Its arguments are the app, the position after which the page begins (the campaign twice, and the text), and the
    /// limit.
    ///
    /// SQLite reads the tables of a `CROSS JOIN` in this order. PostgreSQL chooses the cheaper order; the order of the
    /// list makes it begin with the campaigns of the app.
    package static func listSQL(_ kind: ReviewTextKind, _ dialect: any Dialect) -> SQLText {
        """
        SELECT c.id, t.id, t.\(kind.column) FROM campaigns c CROSS JOIN \(kind.table) t
        WHERE \(dialect.isArgument("c.app_id")) AND c.id >= ? AND t.campaign_id = c.id AND (c.id > ? OR t.id > ?)
            AND t.\(kind.column) IS NOT NULL
        ORDER BY c.app_id, c.id, t.id LIMIT ?
        """
    }

    /// The position of a text among those of its app.
    package struct Position: Hashable, Sendable {
        let campaign: Int64
        package let id: Int64
    }

    package func replace(_ kind: ReviewTextKind, _ number: Int64, by text: String) throws {
        try connection.execute(
            "UPDATE \(kind.table) SET \(kind.column) = ? WHERE id = ?", [.text(text), .integer(number)]
        )
    }
}

extension ReviewTextKind {
    fileprivate var table: SQLText {
        switch self {
        case .comment: "campaign_comments"
        case .reason: "campaign_approvals"
        }
    }

    fileprivate var column: SQLText {
        switch self {
        case .comment: "text"
        case .reason: "reason"
        }
    }
}

extension SQLConnection {
    package var reviewTexts: ReviewTextRepository { ReviewTextRepository(connection: self) }
}
