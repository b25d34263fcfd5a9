import BelfryModel
import BelfryServerModel
import Foundation

/// The ledger as campaigns use it: the planned devices, the results of sending, and the devices' reports (LED-1,
/// LED-2).
package struct DeliveryRepository {
    let connection: any SQLConnection

    /// Adds devices of a campaign's audience to the ledger as pending, none of them twice. Devices that no longer exist
    /// are left out.
    ///
    /// - Parameter members: the devices, ordered by number.
    /// - Returns: the range of the ids and the number of devices; nil when none was left.
    package func plan(
        _ campaign: CampaignID, app: Int64, members: [AudienceMember], now: Date
    ) throws -> (range: ClosedRange<Int64>, count: Int)? {
        guard let first = members.first?.device, let last = members.last?.device else { return nil }
        // If everyone gets the message the numbers are consecutive, and a range is found more cheaply than each number.
        // On a distributed database the list says which shard they are of.
        let areMembers: SQLFragment =
            last - first == Int64(members.count - 1) && !connection.dialect.isDistributed
            ? "a.device_id BETWEEN \(bind: .integer(first)) AND \(bind: .integer(last))"
            : connection.dialect.isOneOf(members.map(\.device), "a.device_id", isFirst: true)
        let count = try connection.execute(
            """
            INSERT INTO deliveries (campaign_id, device_id, contact_id, state, attempts, updated_at)
            SELECT ?, a.device_id, a.contact_id, 'pending', 0, ? FROM \(AudienceColumns.table(of: app)) a
            WHERE \(areMembers.sql)
            """,
            [.integer(campaign.number), .date(now)] + areMembers.arguments
        )
        return count > 0 ? (first...last, count) : nil
    }

    /// The first of these devices that has another contact than when it was found to belong to the audience: it is
    /// unknown whether the new contact belongs to it. Nil if there is none.
    package func firstMoved(of members: [AudienceMember], app: Int64) throws -> Int64? {
        guard !members.isEmpty else { return nil }
        guard connection.dialect.isDistributed else {
            let question = moved(of: members, app: app, areListed: "")
            return try connection.first(question.sql, question.arguments) { $0.optionalInteger(0) } ?? nil
        }
        // Each shard compares its own devices (FLEET-5).
        let questions = try connection.batches.cut(members, at: members.count).map { part in
            let areListed = connection.dialect.isOneOf(part.map(\.device), "a.device_id", isFirst: true)
            return moved(of: part, app: app, areListed: " AND \(areListed)")
        }
        return try connection.queryTogether(questions) { $0.optionalInteger(0) }.joined().compactMap(\.self).min()
    }

    private func moved(of members: [AudienceMember], app: Int64, areListed: SQLFragment) -> SQLFragment {
        // No row has the number 0.
        let pairs = members.map { "[\($0.device),\($0.contact ?? 0)]" }.joined(separator: ",")
        return SQLFragment(
            """
            SELECT min(a.device_id) FROM (\(connection.dialect.ranges)) m
            JOIN \(AudienceColumns.table(of: app)) a ON a.device_id = m.low
            WHERE coalesce(a.contact_id, 0) <> m.high\(areListed.sql)
            """,
            [.text("[\(pairs)]")] + areListed.arguments
        )
    }

    /// Writes results; a row that is already final stays unchanged.
    package func record(_ updates: some Sequence<DeliveryUpdate>, campaign: CampaignID, now: Date) throws {
        // Accepted devices by the number of attempts: nearly all sends of a campaign end in this way.
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

    /// Uses one statement for each run of consecutive devices, and one for all others. If everyone gets the message,
    /// there are long runs. On a distributed database a run is on all shards, so all devices are listed.
    private func accept(_ devices: [Int64], _ attempts: Int, campaign: CampaignID, now: Date) throws {
        let (runs, others) =
            connection.dialect.isDistributed ? (runs: [], others: devices) : NumberRuns.split(devices)
        for run in runs {
            try accept(
                "device_id BETWEEN \(bind: .integer(run.lowerBound)) AND \(bind: .integer(run.upperBound))", attempts,
                campaign: campaign, now: now
            )
        }
        guard !others.isEmpty else { return }
        let areOthers = connection.dialect.isOneOf(others, "device_id", isFirst: false)
        try accept(areOthers, attempts, campaign: campaign, now: now)
    }

    private func accept(_ areChosen: SQLFragment, _ attempts: Int, campaign: CampaignID, now: Date) throws {
        try connection.executeLater(
            """
            UPDATE deliveries SET state = 'accepted', retry_at = NULL, note = NULL, attempts = ?, updated_at = ?
            WHERE campaign_id = ? AND \(areChosen.sql) AND state = 'pending'
            """,
            [.integer(attempts), .date(now), .integer(campaign.number)] + areChosen.arguments
        )
    }

    /// Whether any device of a campaign is pending.
    package func arePending(of campaign: CampaignID) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM deliveries WHERE campaign_id = ? AND state = 'pending' LIMIT 1", [.integer(campaign.number)]
        ) { $0.integer(0) } != nil
    }

    /// When the first pending device of the batch is due, and when the first message that must still be placed is due;
    /// nil if there is none.
    package func nextRetry(of batch: Batch) throws -> (dueAt: Date?, placeAt: Date?) {
        let areOfBatch = batch.holds("device_id", connection.dialect)
        return try connection.first(
            """
            SELECT min(coalesce(retry_at, 0)), min(CASE WHEN placed IS NULL THEN coalesce(retry_at, 0) END)
            FROM deliveries
            WHERE campaign_id = ? AND \(areOfBatch.sql) AND state = 'pending'
            """,
            [.integer(batch.campaign.number)] + areOfBatch.arguments
        ) { ($0.optionalDate(0), $0.optionalDate(1)) } ?? (nil, nil)
    }

    /// Cancels the pending rows of a batch.
    package func cancelPending(of batch: Batch, reason: DeliveryReason, now: Date) throws {
        let areOfBatch = batch.holds("device_id", connection.dialect)
        try connection.execute(
            """
            UPDATE deliveries SET state = 'cancelled', reason = ?, retry_at = NULL, updated_at = ?
            WHERE campaign_id = ? AND \(areOfBatch.sql) AND state = 'pending'
            """,
            [.text(reason.rawValue), .date(now), .integer(batch.campaign.number)] + areOfBatch.arguments
        )
    }

    /// Ends the pending rows of a range of devices.
    ///
    /// - Parameter listed: the only devices of the range that are meant (``Batch/listed``).
    package func endPending(
        of campaign: CampaignID, devices: ClosedRange<Int64>, listed: [Int64]? = nil, as state: DeliveryState,
        reason: DeliveryReason, now: Date
    ) throws {
        let areChosen = connection.dialect.isWithin(devices, listed, "device_id")
        try connection.execute(
            """
            UPDATE deliveries SET state = ?, reason = ?, retry_at = NULL, updated_at = ?
            WHERE campaign_id = ? AND \(areChosen.sql) AND state = 'pending'
            """,
            [.text(state.rawValue), .text(reason.rawValue), .date(now), .integer(campaign.number)]
                + areChosen.arguments
        )
    }

    /// Makes the pending devices of a batch that wait for a retry due immediately, but not those that wait for their
    /// local time. Returns how many waited. A campaign may have a million of them, so each batch is treated by the
    /// worker that leases it (``BatchRepository/isHastened(_:)``).
    @discardableResult
    package func hasten(_ batch: Batch) throws -> Int {
        let areOfBatch = batch.holds("device_id", connection.dialect)
        return try connection.execute(
            """
            UPDATE deliveries SET retry_at = NULL
            WHERE campaign_id = ? AND \(areOfBatch.sql) AND state = 'pending' AND retry_at IS NOT NULL
                AND retry_at <> coalesce(due_at, 0)
            """,
            [.integer(batch.campaign.number)] + areOfBatch.arguments
        )
    }

    /// Records an engagement of a device; the first of its kind counts (PUSH-22).
    ///
    /// - Parameter moments: the time of the engagement, by campaign.
    /// - Returns: how many of the campaigns have the device in their ledger.
    @discardableResult
    package func engage(_ engagement: Engagement, device: Int64, at moments: [CampaignID: Date]) throws -> Int {
        let column = engagement.column
        return try connection.executeEach(
            "UPDATE deliveries SET \(column) = coalesce(\(column), ?) WHERE campaign_id = ? AND device_id = ?",
            moments.sorted { $0.key.number < $1.key.number }.map { campaign, moment in
                [.date(moment), .integer(campaign.number), .integer(device)]
            }
        )
    }

    package func find(campaign: CampaignID, device: Int64) throws -> DeliveryRow? {
        try connection.first(
            "SELECT \(DeliveryRow.columns) FROM deliveries l WHERE l.campaign_id = ? AND l.device_id = ?",
            [.integer(campaign.number), .integer(device)], DeliveryRow.init
        )
    }

    /// The key is a campaign and a device.
    package static let acceptedQuery = KeyedQuery { asked in
        """
        SELECT 1 FROM deliveries
        WHERE campaign_id = \(asked(.integer)) AND device_id = \(asked(.integer)) AND state = 'accepted'
        """
    }

    /// The given devices for which a push of one of these campaigns was accepted.
    package func accepted(by devices: [Int64], in campaigns: [CampaignID]) throws -> Set<Int64> {
        let keys: [[SQLValue]] = campaigns.flatMap { campaign in
            devices.map { device in [.integer(campaign.number), .integer(device)] }
        }
        let found = try connection.queryEach(Self.acceptedQuery, keys) { $0.integer(0) }
        var accepted: Set<Int64> = []
        for (place, rows) in found.enumerated() where !rows.isEmpty { accepted.insert(devices[place % devices.count]) }
        return accepted
    }
}

extension SQLConnection {
    package var deliveries: DeliveryRepository { DeliveryRepository(connection: self) }
}

extension Engagement {
    /// The column with the time of the first report.
    fileprivate var column: SQLText {
        switch self {
        case .received: "received_at"
        case .displayed: "displayed_at"
        case .opened: "opened_at"
        case .dismissed: "dismissed_at"
        }
    }
}
