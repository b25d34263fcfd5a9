import BelfryModel

/// The campaigns that place messages in message centers (CON-8).
package struct PlacingCampaignRepository {
    let connection: any SQLConnection

    /// Campaigns that place messages, newest first, each with the center in which it has placed them; nil: none placed
    /// yet.
    package func list(
        app: Int64, before cursor: Int64?, limit: Int
    ) throws -> [(campaign: CampaignSummary, center: MessageCenterName?)] {
        guard !connection.dialect.isDistributed else {
            return try listInTurn(app: app, before: cursor, limit: limit)
        }
        return try connection.query(
            Self.listSQL(connection.dialect), [.integer(app), .integer(cursor ?? .max), .integer(limit)]
        ) { row in
            (
                try CampaignSummary(row),
                row.optionalText(CampaignSummary.Column.columnCount).map(MessageCenterName.init(stored:))
            )
        }
    }

    /// Its arguments are the app, the cursor and the limit.
    package static func listSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT \(CampaignSummary.columns),
            (SELECT m.center FROM center_messages m WHERE m.campaign_id = campaigns.id LIMIT 1)
        \(page(dialect))
        """
    }

    private static func page(_ dialect: any Dialect) -> SQLText {
        """
        FROM campaigns WHERE \(dialect.isArgument("app_id")) AND id < ? AND deleted_at IS NULL
            AND kind IN ('messageCenter', 'pushAndMessageCenter')
        ORDER BY app_id DESC, id DESC LIMIT ?
        """
    }

    /// The same where messages are on several servers (FLEET-5): each campaign's center is asked for by a statement of
    /// its own, all of them at once.
    private func listInTurn(
        app: Int64, before cursor: Int64?, limit: Int
    ) throws -> [(campaign: CampaignSummary, center: MessageCenterName?)] {
        let campaigns = try connection.query(
            "SELECT \(CampaignSummary.columns) \(Self.page(connection.dialect))",
            [.integer(app), .integer(cursor ?? .max), .integer(limit)], CampaignSummary.init
        )
        let centers = try connection.queryEach(Self.centerQuery, campaigns.map { [.integer($0.id.number)] }) { row in
            MessageCenterName(stored: row.text(0))
        }
        return zip(campaigns, centers).map { (campaign: $0, center: $1.first) }
    }

    /// The key is a campaign.
    private static let centerQuery = KeyedQuery { asked in
        "SELECT center FROM center_messages WHERE campaign_id = \(asked(.integer)) LIMIT 1"
    }

    /// How many messages a campaign has placed, counted up to a maximum.
    package func messageCount(of id: CampaignID, atMost maximum: Int) throws -> Int {
        try connection.first(
            "SELECT count(*) FROM (SELECT 1 FROM center_messages WHERE campaign_id = ? LIMIT ?) m",
            [.integer(id.number), .integer(maximum)]
        ) { Int($0.integer(0)) } ?? 0
    }
}

extension SQLConnection {
    package var placingCampaigns: PlacingCampaignRepository { PlacingCampaignRepository(connection: self) }
}
