import BelfryModel
import BelfryServerModel
import Foundation

/// Outcomes of a campaign by state and reason, for a part of its ledger or all of it.
package struct OutcomeSums: Hashable, Sendable {
    private struct Kind: Hashable {
        let state: DeliveryState
        let reason: DeliveryReason?
    }

    private var sums: [Kind: DeliveryOutcome] = [:]

    package init() {}

    init(_ outcomes: [DeliveryOutcome]) {
        for outcome in outcomes { add(outcome) }
    }

    package mutating func add(_ other: OutcomeSums) {
        for outcome in other.sums.values { add(outcome) }
    }

    private mutating func add(_ outcome: DeliveryOutcome) {
        let kind = Kind(state: outcome.state, reason: outcome.reason)
        let before = sums[kind]
        sums[kind] = DeliveryOutcome(
            state: outcome.state, reason: outcome.reason, count: outcome.count + (before?.count ?? 0),
            displayed: outcome.displayed + (before?.displayed ?? 0), opened: outcome.opened + (before?.opened ?? 0)
        )
    }

    /// The outcomes, the largest first, as in ``CampaignFigureRepository/outcomes(of:)``.
    package var outcomes: [DeliveryOutcome] {
        sums.values.sorted { left, right in
            (right.count, left.state.rawValue, left.reason?.rawValue ?? "")
                < (left.count, right.state.rawValue, right.reason?.rawValue ?? "")
        }
    }
}

extension StatisticsRepository {
    /// The outcomes of a part of a campaign's ledger.
    package func outcomes(of campaign: Int64, devices: ClosedRange<Int64>) throws -> OutcomeSums {
        OutcomeSums(
            try outcomes(
                """
                SELECT state, coalesce(reason, ''), count(*), count(displayed_at), count(opened_at) FROM deliveries
                WHERE campaign_id = ? AND device_id BETWEEN ? AND ? GROUP BY state, coalesce(reason, '')
                """,
                [.integer(campaign), .integer(devices.lowerBound), .integer(devices.upperBound)]
            )
        )
    }

    /// The outcomes of the last summing, the largest first, and its time; nil if there was none yet.
    package func outcomes(of campaign: CampaignID) throws -> (outcomes: [DeliveryOutcome], at: Date)? {
        guard let at = try summedAt(campaign) else { return nil }
        let found = try outcomes(
            "SELECT state, reason, devices, displayed, opened FROM campaign_outcomes WHERE campaign_id = ?",
            [.integer(campaign.number)]
        )
        return (OutcomeSums(found).outcomes, at)
    }

    /// Replaces a campaign's stored outcomes.
    package func replace(_ outcomes: OutcomeSums, of campaign: CampaignToSum) throws {
        try connection.execute("DELETE FROM campaign_outcomes WHERE campaign_id = ?", [.integer(campaign.id)])
        try connection.executeEach(
            """
            INSERT INTO campaign_outcomes (campaign_id, state, reason, devices, displayed, opened)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            outcomes.outcomes.map { outcome in
                [
                    .integer(campaign.id), .text(outcome.state.rawValue), .text(outcome.reason?.rawValue ?? ""),
                    .integer(outcome.count), .integer(outcome.displayed), .integer(outcome.opened),
                ]
            }
        )
    }

    /// The selected values, from the ledger or from stored sums.
    private enum OutcomePlace: Int, ResultPlace {
        case state, reason, count, displayed, opened
    }

    private func outcomes(_ sql: SQLText, _ arguments: [SQLValue]) throws -> [DeliveryOutcome] {
        try connection.query(sql, arguments) { row -> DeliveryOutcome? in
            let row = ResultRow<OutcomePlace>(row)
            let reason = row.text(.reason)
            return DeliveryState(rawValue: row.text(.state)).map { state in
                DeliveryOutcome(
                    state: state, reason: reason.isEmpty ? nil : DeliveryReason(rawValue: reason),
                    count: Int(row.integer(.count)), displayed: Int(row.integer(.displayed)),
                    opened: Int(row.integer(.opened))
                )
            }
        }.compactMap(\.self)
    }
}
