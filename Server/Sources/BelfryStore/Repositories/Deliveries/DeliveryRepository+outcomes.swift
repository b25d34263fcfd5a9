import BelfryModel
import BelfryServerModel

extension DeliveryRepository {
    /// By a campaign and a device.
    package static let acceptedQuery = KeyedQuery { asked in
        """
        SELECT 1 FROM deliveries
        WHERE campaign_id = \(asked(.integer)) AND device_id = \(asked(.integer)) AND state = 'accepted'
        """
    }

    /// Those of some devices to which a push of one of these campaigns was accepted.
    package func accepted(by devices: [Int64], in campaigns: [CampaignID]) throws -> Set<Int64> {
        let keys: [[SQLValue]] = campaigns.flatMap { campaign in
            devices.map { device in [.integer(campaign.number), .integer(device)] }
        }
        let found = try connection.queryEach(Self.acceptedQuery, keys) { $0.integer(0) }
        var accepted: Set<Int64> = []
        for (place, rows) in found.enumerated() where !rows.isEmpty { accepted.insert(devices[place % devices.count]) }
        return accepted
    }

    private enum OutcomeColumn: Int, ResultColumn {
        case state, reason, rows, displayed, opened

        var sql: SQLText {
            switch self {
            case .state: "state"
            case .reason: "reason"
            case .rows: "count(*)"
            case .displayed: "count(displayed_at)"
            case .opened: "count(opened_at)"
            }
        }
    }

    /// Whether any device of a campaign is pending.
    package func arePending(of campaign: CampaignID) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM deliveries WHERE campaign_id = ? AND state = 'pending' LIMIT 1", [.integer(campaign.number)]
        ) { $0.integer(0) } != nil
    }

    /// How many devices of a campaign stand where, and why: sums of the rows (LED-3), the largest first.
    package func outcomes(of campaign: CampaignID) throws -> [DeliveryOutcome] {
        let found = try connection.query(
            """
            SELECT \(OutcomeColumn.selectList) FROM deliveries
            WHERE campaign_id = ? GROUP BY state, reason ORDER BY count(*) DESC, state, coalesce(reason, '')
            """,
            [.integer(campaign.number)]
        ) { row -> DeliveryOutcome? in
            let row = ResultRow<OutcomeColumn>(row)
            return DeliveryState(rawValue: row.text(.state)).map { state in
                DeliveryOutcome(
                    state: state, reason: row.optionalText(.reason).map(DeliveryReason.init(rawValue:)),
                    count: Int(row.integer(.rows)), displayed: Int(row.integer(.displayed)),
                    opened: Int(row.integer(.opened))
                )
            }
        }
        guard found.allSatisfy({ $0 != nil }) else {
            throw StoreError.corrupted(table: "deliveries", key: campaign.description)
        }
        return found.compactMap(\.self)
    }
}
