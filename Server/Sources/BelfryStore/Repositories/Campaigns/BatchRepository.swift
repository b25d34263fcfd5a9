import BelfryModel
import Foundation

/// A range of one campaign's devices, leased by one worker for a while (PUSH-5).
package struct Batch: Hashable, Sendable {
    package let campaign: CampaignID
    package let number: Int64
    package let devices: ClosedRange<Int64>
    /// Where several servers hold the database together, its devices: all are of one shard, which has only some of the
    /// range (FLEET-5). Nil: all devices of the range.
    package let listed: [Int64]?

    package init(campaign: CampaignID, number: Int64, devices: ClosedRange<Int64>, listed: [Int64]? = nil) {
        self.campaign = campaign
        self.number = number
        self.devices = devices
        self.listed = listed
    }
}

extension Batch {
    /// Whether a device is one of the batch's.
    func holds(_ column: SQLText, _ dialect: any Dialect) -> SQLFragment { dialect.isWithin(devices, listed, column) }

    /// The same, behind other conditions, of a table that a statement joins by the device. It says nothing new, but each
    /// table's own conditions decide which of its shards are asked (FLEET-5). Empty where a range is enough.
    func alsoHolds(_ column: SQLText, _ dialect: any Dialect) -> SQLFragment {
        guard let listed else { return "" }
        return " AND \(dialect.isOneOf(listed, column, isFirst: true))"
    }
}

extension WorkSubject {
    /// Sending a batch, as the subject of work.
    package static func batch(_ batch: Batch) -> WorkSubject {
        WorkSubject(kind: .batch, number: batch.campaign.number, part: batch.number)
    }
}

extension Batch {
    /// On a distributed database the devices follow the columns that there are everywhere.
    static func columns(_ dialect: any Dialect) -> SQLText {
        dialect.isDistributed ? "\(Column.selectList), device_list" : Column.selectList
    }

    /// The same of a table with another name in the statement.
    static func columns(of table: SQLText, _ dialect: any Dialect) -> SQLText {
        let own = Column.selectList(of: table)
        return dialect.isDistributed ? "\(own), \(table).device_list" : own
    }

    static func columnCount(_ dialect: any Dialect) -> Int { Column.columnCount + (dialect.isDistributed ? 1 : 0) }

    enum Column: Int, ResultColumn {
        case campaign, number, firstDevice, lastDevice

        var sql: SQLText {
            switch self {
            case .campaign: "campaign_id"
            case .number: "number"
            case .firstDevice: "first_device"
            case .lastDevice: "last_device"
            }
        }
    }

    init(_ source: any SQLRow, _ dialect: any Dialect) throws {
        let row = ResultRow<Column>(source)
        guard let campaign = CampaignID(row.integer(.campaign)) else {
            throw StoreError.corrupted(table: "batches", key: row.text(.campaign))
        }
        self.init(
            campaign: campaign, number: row.integer(.number),
            devices: row.integer(.firstDevice)...row.integer(.lastDevice),
            listed: try dialect.isDistributed
                ? source.optionalText(Column.columnCount).map { try Self.devices(in: $0, of: campaign) } : nil
        )
    }

    private static func devices(in list: String, of campaign: CampaignID) throws -> [Int64] {
        try list.utf8.split(separator: UInt8(ascii: ",")).map { number in
            guard let device = WholeNumber.read(Substring(number), as: Int64.self) else {
                throw StoreError.corrupted(table: "batches", key: campaign.description)
            }
            return device
        }
    }
}

package struct BatchRepository {
    let connection: any SQLConnection

    /// - Parameter placesMessages: whether the campaign has message center messages, so that one must be placed for
    ///   each device.
    package func insert(_ batch: Batch, availableAt: Date, placesMessages: Bool = false) throws {
        let values: [SQLValue] = [
            .integer(batch.campaign.number), .integer(batch.number), .integer(batch.devices.lowerBound),
            .integer(batch.devices.upperBound), .date(availableAt), .optional(placesMessages ? availableAt : nil),
        ]
        guard let listed = batch.listed else {
            return try connection.executeLater(
                """
                INSERT INTO batches (campaign_id, number, first_device, last_device, available_at, place_at, lease_until)
                VALUES (?, ?, ?, ?, ?, CAST(? AS BIGINT), 0)
                """,
                values
            )
        }
        try connection.executeLater(
            """
            INSERT INTO batches (campaign_id, number, first_device, last_device, available_at, place_at, lease_until,
                device_list)
            VALUES (?, ?, ?, ?, ?, CAST(? AS BIGINT), 0, ?)
            """,
            values + [.text(listed.map { String($0) }.joined(separator: ","))]
        )
    }

    /// SQL over `campaigns c`: the campaign only places messages, because the server has paused its pushes (MC-16).
    static let onlyPlaces: SQLText = "(c.status = 'paused' AND c.places <> 0)"
    /// SQL over `campaigns c` and `batches b`: when the batch is due; null for one that waits for an operator. A batch
    /// whose retries must be made due has a negative value (``isHastened(_:)``).
    static let dueAt: SQLText = """
        CASE WHEN c.status = 'sending' THEN abs(b.available_at) WHEN \(onlyPlaces) THEN b.place_at END
        """

    /// Leases batches that are due and that no process holds, or held when it died. It takes one batch of each campaign
    /// in turn, beginning with the campaigns that have the fewest under way, so that a huge campaign does not delay a
    /// small one.
    ///
    /// - Parameters:
    ///   - perApp: the most batches of one app that the owner has under way. If the sends of one app stall (for example
    ///     because a push service that a browser named does not respond), other apps still have slots.
    ///   - held: the batches that the owner has under way. It never gets these again, even if their leases have ended
    ///     because a clock was set or a renewal came late.
    package func claim(
        owner: String, until lease: Date, now: Date, limit: Int, perApp: Int = .max, except held: [Batch] = []
    ) throws -> [Batch] {
        var claimed: [Batch] = []
        var underWay = try appCounts(of: held)
        var waiting = try due(now: now)
        while claimed.count < limit, !waiting.isEmpty {
            let turn = waiting
            waiting = []
            for campaign in turn where claimed.count < limit && underWay[campaign.app, default: 0] < perApp {
                let batch = try claimNext(
                    of: campaign.id, dueBy: campaign.column, owner: owner, until: lease, now: now, except: held
                )
                guard let batch else { continue }
                claimed.append(batch)
                underWay[campaign.app, default: 0] += 1
                waiting.append(campaign)
            }
        }
        return claimed
    }

    /// A campaign with due batches, and the column with their due time.
    private struct DueCampaign {
        let id: Int64
        let app: Int64
        let column: SQLText
    }

    /// The campaigns with due batches: those that are sending, and those that only place messages.
    private func due(now: Date) throws -> [DueCampaign] {
        func isDue(_ column: SQLText) -> SQLText {
            """
            EXISTS (SELECT 1 FROM batches b WHERE b.campaign_id = c.id AND b.\(column) <= ? AND b.lease_owner IS NULL
                AND b.quarantined = 0)
            """
        }
        return try connection.query(
            """
            SELECT c.id, c.app_id, CASE WHEN c.status = 'sending' THEN 0 ELSE 1 END,
                (SELECT count(*) FROM batches l WHERE l.campaign_id = c.id AND l.lease_until > ?) AS leased
            FROM campaigns c
            WHERE c.status IN ('sending', 'paused') AND coalesce(c.next_send_at, 0) <= ?
                AND ((c.status = 'sending' AND \(isDue("available_at"))) OR (\(Self.onlyPlaces) AND \(isDue("place_at"))))
            ORDER BY leased, c.id
            """,
            [.date(now), .date(now), .date(now), .date(now)]
        ) { row in
            DueCampaign(id: row.integer(0), app: row.integer(1), column: row.flag(2) ? "place_at" : "available_at")
        }
    }

    private func claimNext(
        of campaign: Int64, dueBy column: SQLText, owner: String, until lease: Date, now: Date, except held: [Batch]
    ) throws -> Batch? {
        let own = held.filter { $0.campaign.number == campaign }
        return try connection.query(
            """
            WITH due AS (
                SELECT b.campaign_id, b.number FROM batches b
                WHERE b.campaign_id = ? AND b.\(column) <= ? AND b.lease_owner IS NULL AND b.quarantined = 0
                    \(Self.without(own))
                ORDER BY b.\(column), b.number LIMIT 1 \(connection.dialect.skipLocked))
            UPDATE batches SET lease_owner = ?, lease_until = ?
            WHERE (campaign_id, number) IN (SELECT campaign_id, number FROM due)
            RETURNING \(Batch.columns(connection.dialect))
            """,
            [.integer(campaign), .date(now)] + Self.keys(own) + [.text(owner), .date(lease)]
        ) { try Batch($0, connection.dialect) }.first
    }

    private func appCounts(of held: [Batch]) throws -> [Int64: Int] {
        var counts: [Int64: Int] = [:]
        for (campaign, batches) in Dictionary(grouping: held, by: \.campaign) {
            let app = try connection.first(
                "SELECT app_id FROM campaigns WHERE id = ?", [.integer(campaign.number)]
            ) { $0.integer(0) }
            if let app { counts[app, default: 0] += batches.count }
        }
        return counts
    }

    /// The apps that have their full share of batches under way.
    func fullApps(with held: [Batch], perApp: Int) throws -> [Int64] {
        guard held.count >= perApp else { return [] }
        return try appCounts(of: held).filter { $0.value >= perApp }.map(\.key)
    }

    static func without(_ batches: [Batch]) -> SQLText {
        .repeated(" AND NOT (b.campaign_id = ? AND b.number = ?)", batches.count)
    }

    static func keys(_ batches: [Batch]) -> [SQLValue] {
        batches.flatMap { [.integer($0.campaign.number), .integer($0.number)] }
    }

    /// Whether the worker may continue with the batch: its owner still holds the lease, and the campaign is still
    /// sending.
    ///
    /// - Parameter isPlacing: asks whether messages may still be placed, which is also the case if only the server has
    ///   paused the campaign.
    package func isStillLeased(_ batch: Batch, owner: String, isPlacing: Bool = false) throws -> Bool {
        try areStillLeased([Lease(batch: batch, owner: owner, isPlacing: isPlacing)]).first ?? false
    }

    /// A batch whose lease is checked.
    package struct Lease: Hashable, Sendable {
        let batch: Batch
        let owner: String
        let isPlacing: Bool

        package init(batch: Batch, owner: String, isPlacing: Bool) {
            self.batch = batch
            self.owner = owner
            self.isPlacing = isPlacing
        }
    }

    /// The arguments are the campaign, the batch's number, its owner, and whether it places messages. The owner is
    /// compared so that no engine scans the index of all leased batches.
    package static let leaseQuery = KeyedQuery { asked in
        """
        SELECT 1 FROM batches b JOIN campaigns c ON c.id = b.campaign_id
        WHERE b.campaign_id = \(asked(.integer)) AND b.number = \(asked(.integer))
            AND coalesce(b.lease_owner, '') = \(asked(.text))
            AND (c.status = 'sending' OR (\(asked(.integer)) = 1 AND \(Self.onlyPlaces)))
        """
    }

    /// Checks several leases; the results are in their order.
    package func areStillLeased(_ leases: [Lease]) throws -> [Bool] {
        let keys: [[SQLValue]] = leases.map { lease in
            [
                .integer(lease.batch.campaign.number), .integer(lease.batch.number), .text(lease.owner),
                .flag(lease.isPlacing),
            ]
        }
        return try connection.queryEach(Self.leaseQuery, keys) { $0.flag(0) }.map { !$0.isEmpty }
    }

    /// Renews the leases that the owner still holds; returns their batches.
    package func renew(_ batches: [Batch], owner: String, until lease: Date) throws -> Set<Batch> {
        var held: Set<Batch> = []
        for batch in batches {
            let changed = try connection.execute(
                "UPDATE batches SET lease_until = ? WHERE campaign_id = ? AND number = ? AND lease_owner = ?",
                [.date(lease), .integer(batch.campaign.number), .integer(batch.number), .text(owner)]
            )
            if changed > 0 { held.insert(batch) }
        }
        return held
    }

    /// Ends every lease, when the only process of a store starts and all holders are dead. The owners stay recorded, so
    /// that it is known what was under way.
    package func endLeases() throws {
        try connection.execute("UPDATE batches SET lease_until = 0 WHERE lease_until > 0")
    }

    /// Releases a batch: it is deleted if all its devices are final, otherwise it is due again with the first retry. If
    /// its retries were made due meanwhile, the batch is due immediately and keeps that mark.
    ///
    /// - Parameter placeAt: when the first of its messages must be placed; nil when none is left.
    package func release(_ batch: Batch, owner: String, dueAt: Date?, placeAt: Date? = nil) throws {
        let key: [SQLValue] = [.integer(batch.campaign.number), .integer(batch.number), .text(owner)]
        if let dueAt {
            try connection.executeLater(
                """
                UPDATE batches SET lease_owner = NULL, lease_until = 0,
                    available_at = CASE WHEN available_at < 0 THEN available_at ELSE ? END,
                    place_at = CASE WHEN place_at IS NULL THEN NULL ELSE CAST(? AS BIGINT) END
                WHERE campaign_id = ? AND number = ? AND lease_owner = ?
                """,
                [.date(dueAt), .optional(placeAt)] + key
            )
        } else {
            try connection.executeLater(
                "DELETE FROM batches WHERE campaign_id = ? AND number = ? AND lease_owner = ?", key
            )
        }
    }

    /// Whether the campaign has any batches left.
    package func remain(of campaign: CampaignID) throws -> Bool {
        try connection.first("SELECT 1 FROM batches WHERE campaign_id = ? LIMIT 1", [.integer(campaign.number)]) {
            $0.flag(0)
        } ?? false
    }

    /// Batches of cancelled campaigns that no worker is sending.
    ///
    /// - Parameters:
    ///   - campaign: the campaign; nil: all campaigns whose work is neither in quarantine nor leased by another
    ///     process.
    ///   - includesLeased: whether to include batches that were never released but whose lease has ended.
    package func cancelledAndFree(
        of campaign: CampaignID? = nil, by owner: String = "", now: Date, limit: Int, except held: [Batch] = [],
        includesLeased: Bool = true
    ) throws -> [Batch] {
        let chosen: SQLText = campaign == nil ? CampaignWalk.mayGoOn("b.campaign_id") : "b.campaign_id = ?"
        let arguments =
            campaign.map { [SQLValue.integer($0.number)] } ?? CampaignWalk.arguments(by: owner, now: now)
        return try connection.query(
            """
            SELECT \(Batch.columns(of: "b", connection.dialect))
            FROM batches b JOIN campaigns c ON c.id = b.campaign_id
            WHERE c.status = 'cancelled' AND b.lease_until <= ? AND \(chosen)\(Self.without(held))
                \(includesLeased ? "" : "AND b.lease_owner IS NULL")
            ORDER BY b.campaign_id, b.number LIMIT ?
            """,
            [.date(now)] + arguments + Self.keys(held) + [.integer(limit)]
        ) { try Batch($0, connection.dialect) }
    }

    package func delete(_ batch: Batch) throws {
        try connection.workAttempts.remove(.batch(batch))
        try connection.execute(
            "DELETE FROM batches WHERE campaign_id = ? AND number = ?",
            [.integer(batch.campaign.number), .integer(batch.number)]
        )
    }

    /// When the next batch of a sending campaign is due and may be sent, or its lease ends; nil when there is none.
    ///
    /// - Parameters:
    ///   - held: the batches that the owner has under way.
    ///   - perApp: as for ``claim(owner:until:now:limit:perApp:except:)``: batches of an app beyond its share are due
    ///     only when one of its batches under way ends.
    ///   - includesLeased: whether to include batches that a process holds, or held when it died.
    package func nextDue(
        except held: [Batch] = [], perApp: Int = .max, includesLeased: Bool = true
    ) throws -> Date? {
        let full = try fullApps(with: held, perApp: perApp)
        let dates = try connection.query(
            """
            SELECT min(CASE WHEN b.lease_until > \(Self.dueAt) THEN b.lease_until ELSE \(Self.dueAt) END),
                c.next_send_at
            FROM batches b JOIN campaigns c ON c.id = b.campaign_id
            WHERE (c.status = 'sending' OR (\(Self.onlyPlaces) AND b.place_at IS NOT NULL)) AND b.quarantined = 0\(includesLeased ? "" : " AND b.lease_owner IS NULL")
                AND c.app_id NOT IN (\(connection.dialect.integers))\(Self.without(held))
            GROUP BY c.id, c.next_send_at
            """,
            [.integers(full)] + Self.keys(held)
        ) { max($0.date(0), $0.optionalDate(1) ?? .distantPast) }
        return dates.min()
    }
}

extension SQLConnection {
    package var batches: BatchRepository { BatchRepository(connection: self) }
}
