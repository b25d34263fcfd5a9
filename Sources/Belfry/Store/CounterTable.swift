import BelfryRules
import GRDB

/// Counts how often something happened since the installation, for support.
struct CounterTable {
    let db: Database

    init(_ db: Database) {
        self.db = db
    }

    func value(_ name: String) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count FROM counter WHERE name = ?", arguments: [name]) ?? 0
    }

    func add(_ amount: Int, to name: String) throws {
        try db.execute(
            sql: """
                INSERT INTO counter (name, count) VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE SET count = count + excluded.count
                """,
            arguments: [name, amount]
        )
    }
}

/// The counters that the store keeps.
enum CounterName {
    static let deadLetters = "setAside"
    static let queueFull = DropReason.queueFull.rawValue
    static let tooOld = DropReason.tooOld.rawValue
}
