import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct OpeningMigrationTests {
    @Test("FLEET-2, STO-1: openings of an older database are in their own tables", arguments: Engine.allCases)
    func older(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let (opened, never) = (seconds(-90_000), try client(2))
        try await store.write { connection in
            try connection.goBack(to: 25, engine)
            let app = try connection.makeApp()
            for (number, opening) in [(1, opened), (2, nil)] as [(Int, Date?)] {
                let contact = try connection.contacts.findOrInsert(
                    app: app, key: "c\(number)", known: true, now: storeEpoch
                )
                try connection.execute(
                    "UPDATE contacts SET last_opened_at = ? WHERE id = ?", [.optional(opening), .integer(contact)]
                )
                try connection.execute(
                    """
                    INSERT INTO devices (app_id, client_id, contact_id, link_generation, confirmed_generation, revision,
                        token_order, properties_order, contact_order, created_at, updated_at, last_opened_at)
                    VALUES (?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0, ?)
                    """,
                    [
                        .integer(app), .text(try client(number).rawValue), .integer(contact), .optional(opening),
                    ]
                )
            }
            try connection.audiences.rebuild(app: app)
        }
        let second = try store.another()
        defer { try? second.close() }
        let (openings, rows) = try await second.database.read { connection in
            (
                try ["device_openings", "contact_openings"].map { table in
                    try connection.query(SQLText(ofTest: "SELECT at FROM \(table)"), []) { $0.date(0) }
                },
                try (1...2).map { number -> [Date?] in
                    [
                        try connection.devices.find(app: 1, client: try client(number))?.lastOpenedAt,
                        try connection.contacts.find(app: 1, key: "c\(number)")?.lastOpenedAt,
                    ]
                }
            )
        }
        #expect(openings == [[opened], [opened]])
        #expect(rows == [[opened, opened], [nil, nil]])
        let chosen = try await second.database.ask(.counting(app: 1)) { asked in
            let sql = try asked.connection.audienceSQL(app: 1)
            let conditions: [Condition] = [
                .deviceFact(.lastOpenedAt, .exists(true)), .deviceFact(.lastOpenedAt, .exists(false)),
                .all([.deviceFact(.lastOpenedAt, .exists(false)), .deviceIDs([never.rawValue])]),
            ]
            return try conditions.map { try asked.count(app: 1, audience: sql.compile($0)) }
        }
        #expect(chosen == [1, 1, 1])
    }

    /// The tables, and how full their pages become at first.
    private static func rooms(_ connection: any SQLConnection) throws -> [String: String] {
        let rows = try connection.query(
            """
            SELECT c.relname, array_to_string(c.reloptions, ' ') FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relkind = 'r' AND c.reloptions IS NOT NULL
            """,
            []
        ) { (name: $0.text(0), options: $0.text(1)) }
        return Dictionary(rows.map { ($0.name, $0.options) }) { first, _ in first }
    }

    @Test("FLEET-2: on PostgreSQL rows that are written again have room, in an older database as in a fresh one")
    func room() async throws {
        let fresh = try TestStore(.postgres)
        let wanted = try await fresh.write { connection in
            _ = try connection.makeApp()
            return try Self.rooms(connection)
        }
        let older = try TestStore(.postgres)
        try await older.write { connection in
            try connection.goBack(to: 25, .postgres)
            _ = try connection.makeApp()
            // As the program of that time made it.
            try connection.execute("ALTER TABLE audience_1 RESET (fillfactor)")
            #expect(try Self.rooms(connection) == [:])
        }
        let found = try await older.reopened { try Self.rooms($0) }
        #expect(found == wanted)
        #expect(wanted["deliveries"] == "fillfactor=45" && wanted["audience_1"] == "fillfactor=85")
        #expect(wanted["device_openings"] == "fillfactor=80" && wanted["contact_openings"] == "fillfactor=80")
    }
}
