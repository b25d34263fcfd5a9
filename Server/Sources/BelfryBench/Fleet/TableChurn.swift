import BelfryStore

/// What has happened to the rows of one of PostgreSQL's tables, and what it takes on disk.
struct TableChurn: Hashable, Sendable, Encodable {
    let name: String
    let inserts: Int
    let updates: Int
    /// Updates that found room beside the old row and wrote no index (heap-only tuples).
    let hotUpdates: Int
    let deletes: Int
    /// By the server's estimate; so is the next.
    let liveRows: Int
    /// Rows that are no more and have not been cleared away.
    let deadRows: Int
    /// With what is too long for a row.
    let tableBytes: Int
    let indexBytes: Int

    /// Whether anything was written.
    var isChanged: Bool { inserts + updates + deletes > 0 }

    /// A part of all rows; nil when there is none.
    var deadShare: Double? { Self.share(deadRows, of: liveRows + deadRows) }
    /// A part of all updates; nil when there was none.
    var hotShare: Double? { Self.share(hotUpdates, of: updates) }

    /// Whether it is one of those whose updates are to write no index (FLEET-2): what an app open, a badge and an event
    /// touch. Each app has an audience of its own.
    var isHot: Bool {
        name == "devices" || name == "badges" || name.hasSuffix("_openings") || name.hasPrefix("audience_")
    }
    /// Whether it holds a row for each device of each campaign.
    var isLedger: Bool { name == "deliveries" }

    /// What has happened after an earlier moment. What it takes and holds is of now.
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

    /// All tables of the connection's schema, each with its partitions. The server's processes tell late what they have counted.
    static func read(_ connection: any SQLConnection) throws -> [TableChurn] {
        try connection.query(sql, []) { TableChurn($0) }
    }

    /// - Parameter row: of the query.
    init(_ row: any SQLRow) {
        func count(_ column: Int) -> Int { Int(row.integer(column)) }
        self.init(
            name: row.text(0), inserts: count(1), updates: count(2), hotUpdates: count(3), deletes: count(4),
            liveRows: count(5), deadRows: count(6), tableBytes: count(7), indexBytes: count(8)
        )
    }
}

extension [TableChurn] {
    /// What has happened to each after an earlier moment; a table that was not there then is new.
    func since(_ earlier: [TableChurn]) -> [TableChurn] {
        let former = Dictionary(earlier.map { ($0.name, $0) }) { $1 }
        return map { $0.since(former[$0.name]) }
    }

    /// Of all together; nil when there was no update.
    var hotShare: Double? {
        TableChurn.share(map(\.hotUpdates).reduce(0, +), of: map(\.updates).reduce(0, +))
    }

    /// Of all together; nil when there is no row.
    var deadShare: Double? {
        TableChurn.share(map(\.deadRows).reduce(0, +), of: map { $0.liveRows + $0.deadRows }.reduce(0, +))
    }
}
