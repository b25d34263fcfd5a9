import BelfryModel
import BelfryServerModel
import Foundation

/// Filters for a list of a campaign's ledger rows; nil: no filter.
package struct RecipientFilter: Hashable, Sendable {
    package var state: DeliveryState?
    package var reason: DeliveryReason?
    /// Only devices that have reported this engagement.
    package var engagement: Engagement?

    package init(state: DeliveryState? = nil, reason: DeliveryReason? = nil, engagement: Engagement? = nil) {
        self.state = state
        self.reason = reason
        self.engagement = engagement
    }
}

/// A row of the ledger, with its device.
package struct DeliveryOfDevice: Hashable, Sendable {
    package let device: Int64
    package let delivery: DeliveryRow
}

extension DeliveryOfDevice {
    /// - Parameter row: the columns of the delivery, followed by the device.
    fileprivate init(_ row: any SQLRow) throws {
        self.init(device: row.integer(DeliveryRow.Column.columnCount), delivery: try DeliveryRow(row))
    }
}

/// A campaign's progress as sums of its ledger rows (LED-3), and these rows. The ledger is read in the order of its
/// key, since an index by state would slow down every send.
package struct CampaignFigureRepository {
    let connection: any SQLConnection

    /// The campaign's counts, which are sums of its rows (LED-3).
    package func counts(of campaign: CampaignID) throws -> CampaignCounts { try CampaignCounts(outcomes(of: campaign)) }

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

    /// How many devices of a campaign have each state and reason, as sums of the rows (LED-3), the largest first.
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

    /// Ledger rows of a part of a campaign, ordered by device number.
    ///
    /// - Parameter listed: the only devices of the range that are meant (``Batch/listed``).
    package func rows(
        of campaign: CampaignID, devices: ClosedRange<Int64>, listed: [Int64]? = nil, _ filter: RecipientFilter,
        limit: Int
    ) throws -> [DeliveryOfDevice] {
        let areChosen = connection.dialect.isWithin(devices, listed, "l.device_id")
        var conditions: [SQLText] = []
        var arguments: [SQLValue] = [.integer(campaign.number)] + areChosen.arguments
        if let state = filter.state {
            conditions.append(" AND l.state = ?")
            arguments.append(.text(state.rawValue))
        }
        if let reason = filter.reason {
            conditions.append(" AND l.reason = ?")
            arguments.append(.text(reason.rawValue))
        }
        switch filter.engagement {
        case .received: conditions.append(" AND l.received_at IS NOT NULL")
        case .displayed: conditions.append(" AND l.displayed_at IS NOT NULL")
        case .opened: conditions.append(" AND l.opened_at IS NOT NULL")
        case .dismissed: conditions.append(" AND l.dismissed_at IS NOT NULL")
        case nil: break
        }
        return try connection.query(
            """
            SELECT \(DeliveryRow.columns), l.device_id FROM deliveries l
            WHERE l.campaign_id = ? AND \(areChosen.sql)\(conditions.joined(by: ""))
            ORDER BY l.device_id LIMIT ?
            """,
            arguments + [.integer(limit)], DeliveryOfDevice.init
        )
    }

    /// Devices that one statement looks up: the writer may be waiting, and one statement for each device would take it
    /// long.
    package static let rowsAtOnce = 1_000

    /// The ledger rows of some devices, in no order. The devices need not be close together.
    package func rows(of campaign: CampaignID, devices: [Int64]) throws -> [DeliveryOfDevice] {
        try stride(from: 0, to: devices.count, by: Self.rowsAtOnce).flatMap { start -> [DeliveryOfDevice] in
            let portion = Array(devices[start..<min(start + Self.rowsAtOnce, devices.count)])
            let areChosen = connection.dialect.isOneOf(portion, "l.device_id", isFirst: true)
            return try connection.query(
                """
                SELECT \(DeliveryRow.columns), l.device_id FROM deliveries l
                WHERE l.campaign_id = ? AND \(areChosen.sql)
                """,
                [.integer(campaign.number)] + areChosen.arguments, DeliveryOfDevice.init
            )
        }
    }
}

extension SQLConnection {
    package var figures: CampaignFigureRepository { CampaignFigureRepository(connection: self) }
}
