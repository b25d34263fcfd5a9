import BelfryModel
import Foundation

package struct DeliveryRepository {
    let connection: any SQLConnection

    /// Writes the next devices of a campaign's audience into the ledger as pending; returns their ids' range,
    /// nil when none was left.
    package func plan(
        _ campaign: CampaignID, app: Int64, audience: SQLFragment, devices: Range<Int64>, limit: Int, now: Date
    ) throws -> (range: ClosedRange<Int64>, count: Int)? {
        let count = try connection.execute(
            """
            INSERT INTO deliveries (campaign_id, device_id, contact_id, state, attempts, updated_at)
            SELECT ?, a.device_id, a.contact_id, 'pending', 0, ? FROM \(AudienceColumns.table(of: app)) a
            WHERE a.device_id >= ? AND a.device_id < ? AND (\(audience.sql)) ORDER BY a.device_id LIMIT ?
            """,
            [
                .integer(campaign.number), .date(now), .integer(devices.lowerBound), .integer(devices.upperBound),
            ] + audience.arguments + [.integer(limit)]
        )
        return try planned(campaign, devices: devices).map { ($0, count) }
    }

    /// The first and the last of these devices that stand in the ledger: two looks at its ends, where rows that are
    /// handed back by the insert cost as much as the insert.
    private func planned(_ campaign: CampaignID, devices: Range<Int64>) throws -> ClosedRange<Int64>? {
        let range: [SQLValue] = [
            .integer(campaign.number), .integer(devices.lowerBound), .integer(devices.upperBound),
        ]
        let ledger: SQLText = "FROM deliveries WHERE campaign_id = ? AND device_id >= ? AND device_id < ?"
        return try connection.first(
            "SELECT (SELECT min(device_id) \(ledger)), (SELECT max(device_id) \(ledger))", range + range
        ) { row in
            row.integerIfAny(0).flatMap { first in row.integerIfAny(1).map { first...$0 } }
        } ?? nil
    }

    /// Those of a batch that are pending, and due by now.
    ///
    /// - Parameters:
    ///   - values: what the campaign's templates show.
    ///   - limit: so many at most.
    package func recipients(
        of batch: Batch, app: Int64, values: [RecipientValue], dueBy now: Date, limit: Int = .max
    ) throws -> [Recipient] {
        let source = try connection.recipientSource(of: values, app: app)
        return try connection.query(
            """
            SELECT \(Recipient.columns(ledger: Recipient.planned, values: source.columns))
            FROM deliveries l JOIN devices d ON d.id = l.device_id \(source.joins)
            WHERE l.campaign_id = ? AND l.device_id BETWEEN ? AND ? AND l.state = 'pending'
                AND coalesce(l.retry_at, 0) <= ?
            ORDER BY l.device_id LIMIT ?
            """,
            [
                .integer(batch.campaign.number), .integer(batch.devices.lowerBound),
                .integer(batch.devices.upperBound), .date(now), .integer(limit),
            ]
        ) { Recipient($0, valueCount: values.count) }
    }

    /// Writes outcomes; a row that is final already stays as it is.
    package func record(_ updates: some Sequence<DeliveryUpdate>, campaign: CampaignID, now: Date) throws {
        // By the attempts that they took: what nearly all sends of a campaign end with.
        var accepted: [Int: [Int64]] = [:]
        var others: [[SQLValue]] = []
        for update in updates {
            if update.isPlainAcceptance {
                accepted[update.attempts, default: []].append(update.device)
            } else {
                others.append(arguments(of: update, campaign: campaign, now: now))
            }
        }
        for (attempts, devices) in accepted { try accept(devices, attempts, campaign: campaign, now: now) }
        try connection.executeEach(
            """
            UPDATE deliveries SET state = ?, reason = ?, attempts = ?, retry_at = ?, note = ?, updated_at = ?,
                due_at = coalesce(?, due_at), due_note = coalesce(?, due_note), tried_at = coalesce(tried_at, ?)
            WHERE campaign_id = ? AND device_id = ? AND state = 'pending'
            """,
            others
        )
    }

    private func arguments(of update: DeliveryUpdate, campaign: CampaignID, now: Date) -> [SQLValue] {
        [
            .text(update.state.rawValue), .optional(update.reason?.rawValue), .integer(update.attempts),
            .optional(update.retryAt), .optional(update.note), .date(now), .optional(update.due?.at),
            .optional(update.due?.note), .optional(update.triedAt), .integer(campaign.number),
            .integer(update.device),
        ]
    }

    /// One statement for each run of devices, who follow each other where everybody gets the message, and one for all
    /// the others.
    private func accept(_ devices: [Int64], _ attempts: Int, campaign: CampaignID, now: Date) throws {
        let (runs, others) = NumberRuns.split(devices)
        for run in runs {
            try accept(
                "BETWEEN ? AND ?", [.integer(run.lowerBound), .integer(run.upperBound)], attempts,
                campaign: campaign, now: now
            )
        }
        guard !others.isEmpty else { return }
        try accept(
            "IN (\(connection.dialect.integers))", [.integers(others)], attempts, campaign: campaign, now: now
        )
    }

    private func accept(
        _ devices: SQLText, _ arguments: [SQLValue], _ attempts: Int, campaign: CampaignID, now: Date
    ) throws {
        try connection.execute(
            """
            UPDATE deliveries SET state = 'accepted', retry_at = NULL, note = NULL, attempts = ?, updated_at = ?
            WHERE campaign_id = ? AND device_id \(devices) AND state = 'pending'
            """,
            [.integer(attempts), .date(now), .integer(campaign.number)] + arguments
        )
    }

    /// When the first pending device of the batch is due; nil when none is pending.
    package func nextRetry(of batch: Batch) throws -> Date? {
        try connection.first(
            """
            SELECT min(coalesce(retry_at, 0)) FROM deliveries
            WHERE campaign_id = ? AND device_id BETWEEN ? AND ? AND state = 'pending'
            """,
            [
                .integer(batch.campaign.number), .integer(batch.devices.lowerBound),
                .integer(batch.devices.upperBound),
            ]
        ) { $0.dateIfAny(0) } ?? nil
    }

    /// Cancels what is pending in a batch.
    package func cancelPending(of batch: Batch, reason: DeliveryReason, now: Date) throws {
        try connection.execute(
            """
            UPDATE deliveries SET state = 'cancelled', reason = ?, retry_at = NULL, updated_at = ?
            WHERE campaign_id = ? AND device_id BETWEEN ? AND ? AND state = 'pending'
            """,
            [
                .text(reason.rawValue), .date(now), .integer(batch.campaign.number),
                .integer(batch.devices.lowerBound), .integer(batch.devices.upperBound),
            ]
        )
    }

    /// Makes the pending devices of a campaign due at once that wait for a retry, not those that wait for their own
    /// time; returns how many waited.
    @discardableResult
    package func hasten(_ campaign: CampaignID) throws -> Int {
        try connection.execute(
            """
            UPDATE deliveries SET retry_at = NULL
            WHERE campaign_id = ? AND state = 'pending' AND retry_at IS NOT NULL AND retry_at <> coalesce(due_at, 0)
            """,
            [.integer(campaign.number)]
        )
    }

    /// Adds a later fact; the first of its kind counts (PUSH-22). False when the pair is not in the ledger.
    @discardableResult
    package func engage(_ engagement: Engagement, campaign: CampaignID, device: Int64, at: Date) throws -> Bool {
        let column = engagement.column
        let changed = try connection.execute(
            "UPDATE deliveries SET \(column) = coalesce(\(column), ?) WHERE campaign_id = ? AND device_id = ?",
            [.date(at), .integer(campaign.number), .integer(device)]
        )
        return changed > 0
    }

    package func find(campaign: CampaignID, device: Int64) throws -> DeliveryRow? {
        try connection.first(
            "SELECT \(DeliveryRow.columns) FROM deliveries l WHERE l.campaign_id = ? AND l.device_id = ?",
            [.integer(campaign.number), .integer(device)], DeliveryRow.init
        )
    }

    /// What a device stands in, the newest campaign first, older than the cursor: a look into each campaign of the app,
    /// so that no index by device burdens every send.
    package func ofDevice(_ device: Int64, app: Int64, before cursor: Int64?, limit: Int) throws -> [DeliveryRow] {
        try connection.query(
            """
            SELECT \(DeliveryRow.columns) FROM campaigns c
                JOIN deliveries l ON l.campaign_id = c.id AND l.device_id = ?
            WHERE c.app_id = ? AND c.id < ? ORDER BY c.id DESC LIMIT ?
            """,
            [.integer(device), .integer(app), .integer(cursor ?? .max), .integer(limit)], DeliveryRow.init
        )
    }

    /// Sums of the rows (LED-3).
    package func counts(of campaign: CampaignID) throws -> CampaignCounts {
        let sums = try connection.query(
            """
            SELECT state, count(*), count(displayed_at), count(opened_at) FROM deliveries
            WHERE campaign_id = ? GROUP BY state
            """,
            [.integer(campaign.number)]
        ) { (DeliveryState(rawValue: $0.text(0)), Int($0.integer(1)), Int($0.integer(2)), Int($0.integer(3))) }
        var counts = CampaignCounts()
        for (state, rows, displayed, opened) in sums {
            counts.audience += rows
            counts.displayed += displayed
            counts.opened += opened
            switch state {
            case .pending: counts.pending += rows
            case .accepted: counts.accepted += rows
            case .suppressed: counts.suppressed += rows
            case .rejected: counts.rejected += rows
            case .cancelled: counts.cancelled += rows
            case nil: throw StoreError.corrupted(table: "deliveries", key: campaign.description)
            }
        }
        return counts
    }
}

extension SQLConnection {
    package var deliveries: DeliveryRepository { DeliveryRepository(connection: self) }
}

extension Engagement {
    /// When it was first told of.
    fileprivate var column: SQLText {
        switch self {
        case .received: "received_at"
        case .displayed: "displayed_at"
        case .opened: "opened_at"
        case .dismissed: "dismissed_at"
        }
    }
}
