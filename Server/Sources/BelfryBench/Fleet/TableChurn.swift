import BelfryStore

/// The changes of the rows of a PostgreSQL table, and the table's size on disk.
struct TableChurn: Hashable, Sendable, Encodable {
    let name: String
    let inserts: Int
    let updates: Int
    /// Updates that found space in the old row's page and wrote no index (heap-only tuples).
    let hotUpdates: Int
    let deletes: Int
    /// An estimate of the server, as is the next figure.
    let liveRows: Int
    /// Rows that were deleted or replaced and are not removed by a vacuum yet.
    let deadRows: Int
    /// The table's size, including values that are too long for a row.
    let tableBytes: Int
    let indexBytes: Int

    /// Whether anything was written.
    var isChanged: Bool { inserts + updates + deletes > 0 }

    /// Dead rows as a share of all rows; nil when there are no rows.
    var deadShare: Double? { Self.share(deadRows, of: liveRows + deadRows) }
    /// Heap-only updates as a share of all updates; nil when there were no updates.
    var hotShare: Double? { Self.share(hotUpdates, of: updates) }

    /// Whether updates of the table should write no index (FLEET-2): app opens, badges and events change these tables.
    /// Each app has its own audience table.
    var isHot: Bool {
        name == "devices" || name == "badges" || name.hasSuffix("_openings") || name.hasPrefix("audience_")
    }
    /// Whether the table is the ledger, with a row for each device of each campaign.
    var isLedger: Bool { name == "deliveries" }

    /// The changes after an earlier moment. Sizes and row counts are the present ones.
    func since(_ earlier: TableChurn?) -> TableChurn {
        guard let earlier else { return self }
        return TableChurn(
            name: name, inserts: inserts - earlier.inserts, updates: updates - earlier.updates,
            hotUpdates: hotUpdates - earlier.hotUpdates, deletes: deletes - earlier.deletes, liveRows: liveRows,
            deadRows: deadRows, tableBytes: tableBytes, indexBytes: indexBytes
        )
    }

    fileprivate static func share(_ part: Int, of all: Int) -> Double? {
        all > 0 ? Double(part) / Double(all) : nil
    }
}

extension TableChurn {
    private static let sql: SQLText = """
        SELECT t.relname, CAST(sum(s.n_tup_ins) AS BIGINT), CAST(sum(s.n_tup_upd) AS BIGINT),
            CAST(sum(s.n_tup_hot_upd) AS BIGINT), CAST(sum(s.n_tup_del) AS BIGINT), CAST(sum(s.n_live_tup) AS BIGINT),
            CAST(sum(s.n_dead_tup) AS BIGINT), CAST(sum(pg_table_size(s.relid)) AS BIGINT),
            CAST(sum(pg_indexes_size(s.relid)) AS BIGINT)
        FROM pg_stat_user_tables s JOIN pg_class t ON t.oid = coalesce(pg_partition_root(s.relid), s.relid)
        WHERE s.schemaname = current_schema() GROUP BY t.relname ORDER BY t.relname
        """

    /// The statistics of all tables in the connection's schema, partitions included. The server's processes publish
    /// them with a delay.
    static func read(_ connection: any SQLConnection) throws -> [TableChurn] {
        try connection.query(sql, []) { TableChurn($0) }
    }

    /// - Parameter row: a row of the query.
    init(_ row: any SQLRow) {
        func count(_ column: Int) -> Int { Int(row.integer(column)) }
        self.init(
            name: row.text(0), inserts: count(1), updates: count(2), hotUpdates: count(3), deletes: count(4),
            liveRows: count(5), deadRows: count(6), tableBytes: count(7), indexBytes: count(8)
        )
    }
}

extension [TableChurn] {
    /// The changes of each table after an earlier moment. A table that did not exist then counts as new.
    func since(_ earlier: [TableChurn]) -> [TableChurn] {
        let former = Dictionary(earlier.map { ($0.name, $0) }) { $1 }
        return map { $0.since(former[$0.name]) }
    }

    /// The share for all tables together; nil when there were no updates.
    var hotShare: Double? {
        TableChurn.share(map(\.hotUpdates).reduce(0, +), of: map(\.updates).reduce(0, +))
    }

    /// The share for all tables together; nil when there are no rows.
    var deadShare: Double? {
        TableChurn.share(map(\.deadRows).reduce(0, +), of: map { $0.liveRows + $0.deadRows }.reduce(0, +))
    }
}
