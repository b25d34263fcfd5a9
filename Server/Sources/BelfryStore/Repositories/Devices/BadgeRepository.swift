import BelfryModel
import Foundation

/// The badges of devices (BADGE-5). Each change makes the revision one greater.
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

    /// What the device said last, behind the badge.
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

    /// What the device is to show: a number above a maximum that was lowered is the maximum (BADGE-1).
    package func find(device: Int64, maximum: Int) throws -> Badge {
        try find(device: device).atMost(maximum)
    }

    /// As it is stored.
    package func find(device: Int64) throws -> Badge {
        try connection.first("SELECT \(Self.columns) FROM badges WHERE device_id = ?", [.integer(device)], read)
            ?? .none
    }

    /// What the device says, at most the maximum. The same words for the same revision as the last time are the same
    /// call again, whose answer was lost: they change nothing, so what a campaign has added since stays.
    ///
    /// - Parameter baseRevision: the revision that the device knew; nil when it does not say.
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

    /// Does a campaign's change to the devices of its ledger to which it was not done yet; answers for all what their
    /// badge is by now. To those that are not in the ledger nothing is done.
    package func apply(
        _ change: BadgeChange, devices: [Int64], campaign: CampaignID, maximum: Int
    ) throws -> [Int64: Badge] {
        guard !devices.isEmpty else { return [:] }
        let list = SQLValue.integers(devices)
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
        let stored = try connection.query(
            "SELECT \(Self.columns), device_id FROM badges WHERE device_id IN (\(connection.dialect.integers))", [list]
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

    /// Nothing is to be seen of the former user (ID-4). A badge that shows nothing stays as it is. What the next one says
    /// is no repetition of what the former one said last.
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
