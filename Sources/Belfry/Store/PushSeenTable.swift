import GRDB

/// The pushes for which an event of a kind was recorded, so that it is recorded once (PUSH-22).
struct PushSeenTable {
    /// The number of pushes that are remembered; the newest stay.
    static let maximumRemembered = 2_000

    let db: Database

    init(_ db: Database) {
        self.db = db
    }

    func remembers(_ sid: String, kind: String) throws -> Bool {
        try Bool.fetchOne(
            db,
            sql: "SELECT EXISTS (SELECT 1 FROM push_seen WHERE sid = ? AND kind = ?)",
            arguments: [sid, kind]
        ) ?? false
    }

    /// - Returns: false when it was already remembered.
    func remember(_ sid: String, kind: String) throws -> Bool {
        try db.execute(sql: "INSERT OR IGNORE INTO push_seen (sid, kind) VALUES (?, ?)", arguments: [sid, kind])
        guard db.changesCount > 0 else { return false }
        try db.execute(
            sql: "DELETE FROM push_seen WHERE id <= (SELECT MAX(id) FROM push_seen) - ?",
            arguments: [Self.maximumRemembered]
        )
        return true
    }
}
