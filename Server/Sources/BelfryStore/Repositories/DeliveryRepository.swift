import BelfryModel
import Foundation

/// One row of the ledger (LED-1).
package struct DeliveryRow: Hashable, Sendable {
    package let state: DeliveryState
    package let reason: DeliveryReason?
    package let attempts: Int
    package let retryAt: Date?
    /// What the last attempt met, while it is pending or when it ended without an answer.
    package let note: String?
    package let updatedAt: Date
    package let engagements: [Engagement: Date]
}

/// A device that a batch still has to serve, with what is needed to decide and to send.
package struct Recipient: Hashable, Sendable {
    package let device: Int64
    package let client: DeviceID
    package let contact: Int64?
    package let attempts: Int
    package let retryAt: Date?
    package let pushToken: PushToken?
    package let tokenAt: Date?
    package let pushEnabled: Bool?
    package let osPushEnabled: Bool?
    package let optOut: OptOut?
}

/// How one attempt ended, to be written to the ledger.
package struct DeliveryUpdate: Hashable, Sendable {
    package var device: Int64
    package var state: DeliveryState
    package var reason: DeliveryReason?
    package var attempts: Int
    package var retryAt: Date?
    package var note: String?

    package init(
        device: Int64, state: DeliveryState, reason: DeliveryReason? = nil, attempts: Int, retryAt: Date? = nil,
        note: String? = nil
    ) {
        self.device = device
        self.state = state
        self.reason = reason
        self.attempts = attempts
        self.retryAt = retryAt
        self.note = note
    }
}

package struct DeliveryRepository {
    let connection: any SQLConnection

    /// Writes the next devices of a campaign's audience into the ledger as pending; returns their ids' range,
    /// nil when none was left.
    package func plan(
        _ campaign: CampaignID, app: Int64, audience: SQLFragment, devices: Range<Int64>, limit: Int, now: Date
    ) throws -> (range: ClosedRange<Int64>, count: Int)? {
        let planned = try connection.query(
            """
            INSERT INTO deliveries (campaign_id, device_id, contact_id, state, attempts, updated_at)
            SELECT ?, d.id, d.contact_id, 'pending', 0, ? FROM devices d LEFT JOIN contacts c ON c.id = d.contact_id
            WHERE d.app_id = ? AND d.id >= ? AND d.id < ? AND (\(audience.sql)) ORDER BY d.id LIMIT ?
            RETURNING device_id
            """,
            [
                .integer(campaign.number), .date(now), .integer(app), .integer(devices.lowerBound),
                .integer(devices.upperBound),
            ] + audience.arguments + [.integer(limit)]
        ) { $0.integer(0) }
        guard let first = planned.min(), let last = planned.max() else { return nil }
        return (first...last, planned.count)
    }

    package func recipients(of batch: Batch) throws -> [Recipient] {
        try connection.query(
            """
            SELECT l.device_id, d.client_id, d.contact_id, l.attempts, l.retry_at, d.push_token, d.push_provider,
                d.push_environment, d.token_at, d.push_enabled, d.os_push_enabled, d.opt_out_reason, d.opt_out_at
            FROM deliveries l JOIN devices d ON d.id = l.device_id
            WHERE l.campaign_id = ? AND l.device_id BETWEEN ? AND ? AND l.state = 'pending' ORDER BY l.device_id
            """,
            [
                .integer(batch.campaign.number), .integer(batch.devices.lowerBound),
                .integer(batch.devices.upperBound),
            ],
            recipient
        )
    }

    private func recipient(_ row: any SQLRow) throws -> Recipient {
        var token: PushToken?
        if let value = row.textIfAny(5), let provider = PushProvider(rawValue: row.text(6)),
            let environment = PushEnvironment(rawValue: row.text(7))
        {
            token = try PushToken(value, provider: provider, environment: environment)
        }
        let reason = row.textIfAny(11).flatMap(OptOutReason.init(rawValue:))
        return Recipient(
            device: row.integer(0), client: try DeviceID(row.text(1)), contact: row.integerIfAny(2),
            attempts: Int(row.integer(3)),
            retryAt: row.dateIfAny(4), pushToken: token, tokenAt: row.dateIfAny(8), pushEnabled: row.flagIfAny(9),
            osPushEnabled: row.flagIfAny(10), optOut: reason.map { OptOut(reason: $0, at: row.date(12)) }
        )
    }

    /// Writes outcomes; a row that is final already stays as it is.
    package func record(_ updates: [DeliveryUpdate], campaign: CampaignID, now: Date) throws {
        try connection.executeEach(
            """
            UPDATE deliveries SET state = ?, reason = ?, attempts = ?, retry_at = ?, note = ?, updated_at = ?
            WHERE campaign_id = ? AND device_id = ? AND state = 'pending'
            """,
            updates.map {
                [
                    .text($0.state.rawValue), .optional($0.reason?.rawValue), .integer($0.attempts),
                    .optional($0.retryAt), .optional($0.note), .date(now), .integer(campaign.number),
                    .integer($0.device),
                ]
            }
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

    /// Makes the pending devices of a campaign due at once; returns how many waited.
    @discardableResult
    package func hasten(_ campaign: CampaignID) throws -> Int {
        try connection.execute(
            """
            UPDATE deliveries SET retry_at = NULL
            WHERE campaign_id = ? AND state = 'pending' AND retry_at IS NOT NULL
            """,
            [.integer(campaign.number)]
        )
    }

    /// Adds a later fact; the first of its kind counts (PUSH-22). False when the pair is not in the ledger.
    @discardableResult
    package func engage(_ engagement: Engagement, campaign: CampaignID, device: Int64, at: Date) throws -> Bool {
        let column = "\(engagement.rawValue)_at"
        let changed = try connection.execute(
            "UPDATE deliveries SET \(column) = coalesce(\(column), ?) WHERE campaign_id = ? AND device_id = ?",
            [.date(at), .integer(campaign.number), .integer(device)]
        )
        return changed > 0
    }

    package func find(campaign: CampaignID, device: Int64) throws -> DeliveryRow? {
        try connection.first(
            """
            SELECT state, reason, attempts, retry_at, note, updated_at, received_at, displayed_at, opened_at,
                dismissed_at
            FROM deliveries WHERE campaign_id = ? AND device_id = ?
            """,
            [.integer(campaign.number), .integer(device)]
        ) { row in
            guard let state = DeliveryState(rawValue: row.text(0)) else {
                throw StoreError.corrupted(table: "deliveries", key: "\(campaign)/\(device)")
            }
            let times: [Engagement: Date?] = [
                .received: row.dateIfAny(6), .displayed: row.dateIfAny(7), .opened: row.dateIfAny(8),
                .dismissed: row.dateIfAny(9),
            ]
            return DeliveryRow(
                state: state, reason: row.textIfAny(1).map(DeliveryReason.init(rawValue:)),
                attempts: Int(row.integer(2)), retryAt: row.dateIfAny(3), note: row.textIfAny(4),
                updatedAt: row.date(5), engagements: times.compactMapValues { $0 }
            )
        }
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
