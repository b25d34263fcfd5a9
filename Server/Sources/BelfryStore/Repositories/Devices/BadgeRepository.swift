import BelfryModel
import Foundation

/// The badges of devices (BADGE-5). Each change increases the revision by one.
package struct BadgeRepository {
    private static let columns = Column.selectList

    private enum Column: Int, ResultColumn {
        case count, revision

        var sql: SQLText {
            switch self {
            case .count: "count"
            case .revision: "revision"
            }
        }
    }

    /// The device's last report, which follows the badge's columns.
    private enum SaidColumn: Int, ResultColumn {
        case saidCount, saidRevision

        var sql: SQLText {
            switch self {
            case .saidCount: "set_count"
            case .saidRevision: "set_revision"
            }
        }
    }

    let connection: any SQLConnection

    /// The badge that the device shows; if the maximum was lowered, at most the maximum (BADGE-1).
    package func find(device: Int64, maximum: Int) throws -> Badge {
        try find(device: device).atMost(maximum)
    }

    /// The badge as stored.
    package func find(device: Int64) throws -> Badge {
        try connection.first("SELECT \(Self.columns) FROM badges WHERE device_id = ?", [.integer(device)], read)
            ?? .none
    }

    /// Sets the badge that the device reports, at most the maximum. The same report for the same revision as the last
    /// one is a repeated call whose response was lost: it changes nothing, so later changes by campaigns stay.
    ///
    /// - Parameter baseRevision: the revision that the device knew; nil if it does not say.
    package func set(count: Int, baseRevision: Int64?, device: Int64, maximum: Int) throws -> Badge {
        let stored = try connection.first(
            "SELECT \(Self.columns), \(SaidColumn.selectList) FROM badges WHERE device_id = ?", [.integer(device)]
        ) { row in
            let said = ResultRow<SaidColumn>(row, after: Column.columnCount)
            return (
                badge: read(row), saidCount: said.optionalInteger(.saidCount),
                saidRevision: said.optionalInteger(.saidRevision)
            )
        }
        if let stored, let baseRevision, stored.saidRevision == baseRevision, stored.saidCount == Int64(count) {
            return stored.badge.atMost(maximum)
        }
        let badge = Badge(
            count: BadgeChange.clamped(count, maximum: maximum), revision: (stored?.badge.revision ?? 0) + 1
        )
        try connection.execute(
            """
            INSERT INTO badges (device_id, count, revision, set_count, set_revision) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (device_id) DO UPDATE SET count = excluded.count, revision = excluded.revision,
                set_count = excluded.set_count, set_revision = excluded.set_revision
            """,
            [
                .integer(device), .integer(badge.count), .integer(badge.revision), .integer(count),
                .optional(baseRevision),
            ]
        )
        return badge
    }

    /// Applies a campaign's badge change to those of these devices that are in its ledger and have not got it yet.
    /// Returns the present badge of all of them. Devices that are not in the ledger are left unchanged.
    package func apply(
        _ change: BadgeChange, devices: [Int64], campaign: CampaignID, maximum: Int
    ) throws -> [Int64: Badge] {
        guard !devices.isEmpty else { return [:] }
        let areChosen = connection.dialect.isOneOf(devices, "device_id", isFirst: false)
        let due = try connection.query(
            """
            UPDATE deliveries SET badged = 1
            WHERE campaign_id = ? AND \(areChosen.sql) AND badged IS NULL
            RETURNING device_id
            """,
            [.integer(campaign.number)] + areChosen.arguments
        ) { $0.integer(0) }
        var badges = Dictionary(devices.map { ($0, Badge.none) }) { first, _ in first }
        let devicePlace = Column.columnCount
        let areTheirs = connection.dialect.isAmong(devices, "device_id")
        let stored = try connection.query(
            "SELECT \(Self.columns), device_id FROM badges WHERE \(areTheirs.sql)", areTheirs.arguments
        ) { (device: $0.integer(devicePlace), badge: read($0)) }
        for (device, badge) in stored { badges[device] = badge.atMost(maximum) }
        for device in due { badges[device]?.change(change, maximum: maximum) }
        try connection.executeEach(
            """
            INSERT INTO badges (device_id, count, revision) VALUES (?, ?, ?)
            ON CONFLICT (device_id) DO UPDATE SET count = excluded.count, revision = excluded.revision
            """,
            due.sorted().compactMap { device in
                badges[device].map { [.integer(device), .integer($0.count), .integer($0.revision)] }
            }
        )
        return badges
    }

    /// Resets the badge, so that nothing of the former user is visible (ID-4). A badge without a number stays
    /// unchanged. A later report of the next user does not count as a repetition of the former user's.
    package func reset(device: Int64) throws {
        try connection.execute(
            "UPDATE badges SET count = 0, revision = revision + 1 WHERE device_id = ? AND count <> 0",
            [.integer(device)]
        )
        try connection.execute(
            """
            UPDATE badges SET set_count = NULL, set_revision = NULL
            WHERE device_id = ? AND (set_count IS NOT NULL OR set_revision IS NOT NULL)
            """,
            [.integer(device)]
        )
    }

    package func delete(device: Int64) throws {
        try connection.execute("DELETE FROM badges WHERE device_id = ?", [.integer(device)])
    }

    private func read(_ row: any SQLRow) -> Badge {
        let row = ResultRow<Column>(row)
        return Badge(count: Int(row.integer(.count)), revision: row.integer(.revision))
    }
}

extension Badge {
    fileprivate mutating func change(_ change: BadgeChange, maximum: Int) {
        count = change.apply(to: count, maximum: maximum)
        revision += 1
    }
}

extension SQLConnection {
    package var badges: BadgeRepository { BadgeRepository(connection: self) }
}
