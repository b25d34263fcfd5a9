import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// STO-1: events of former versions are kept when they move into their cluster.
struct EventClustersTests {
    private struct Stored: Hashable, Sendable {
        let device: Int64
        let id: String
        let app: Int64
        let contact: Int64?
        let kind: String
        let name: String
        let at: Int64
        let receivedAt: Int64
        let session: String?
        let attributes: String
    }

    private static let moment = storeEpoch.milliseconds

    /// Three devices' events in the order in which they came.
    private static let events: [Stored] = (0..<60).map(stored)

    private static func stored(_ number: Int) -> Stored {
        let device = Int64(1 + number % 3)
        let contact: Int64? = number.isMultiple(of: 4) ? nil : device
        let kind = number.isMultiple(of: 2) ? "custom" : "internal"
        let session: String? = number.isMultiple(of: 3) ? nil : "s\(number)"
        let at = moment - Int64(number % 9) * 1_000_000_000_000
        return Stored(
            device: device, id: "e\((number * 7) % 60)", app: 1, contact: contact, kind: kind,
            name: "name \(number % 5)",
            at: at, receivedAt: moment + Int64(number), session: session,
            attributes: #"{"é":\#(number),"a":"b\"c"}"#
        )
    }

    /// The database as a program of this version left it.
    private static func goBack(to version: Int, _ connection: any SQLConnection, _ engine: Engine) throws {
        try connection.goBack(to: version, engine)
        for event in events { try insert(event, connection) }
    }

    private static func insert(_ event: Stored, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO events (device_id, event_id, app_id, contact_id, kind, name, at, received_at, session_id,
                attributes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(event.device), .text(event.id), .integer(event.app), .optional(event.contact),
                .text(event.kind), .text(event.name), .integer(event.at), .integer(event.receivedAt),
                .optional(event.session), .text(event.attributes),
            ]
        )
    }

    private static func stored(_ connection: any SQLConnection) throws -> [Stored] {
        try connection.query(
            """
            SELECT device_id, event_id, app_id, contact_id, kind, name, at, received_at, session_id, attributes
            FROM events WHERE device_at IS NULL
            """,
            []
        ) { row in
            Stored(
                device: row.integer(0), id: row.text(1), app: row.integer(2), contact: row.optionalInteger(3),
                kind: row.text(4), name: row.text(5), at: row.integer(6), receivedAt: row.integer(7),
                session: row.optionalText(8), attributes: row.text(9)
            )
        }
    }

    @Test(
        "STO-1, EVT-3, EVT-9: events of an older database are kept, each once, with their times",
        arguments: Engine.allCases, 1...3)
    func kept(_ engine: Engine, version: Int) async throws {
        let store = try TestStore(engine)
        try await store.write { try Self.goBack(to: version, $0, engine) }
        // Another process opens it, and brings it up to date.
        let events = try await store.reopened { try Self.stored($0) }
        #expect(events.count == Self.events.count && Set(events) == Set(Self.events))
        let versions = try await store.reopened { connection in
            try connection.query("SELECT version FROM schema_version ORDER BY version", []) { Int($0.integer(0)) }
        }
        #expect(versions == Migration.all.map(\.version))
    }

    @Test(
        "EVT-3, EVT-7: events from before are not stored again, and are listed like later ones",
        arguments: Engine.allCases, 1...3)
    func goesOn(_ engine: Engine, version: Int) async throws {
        let store = try TestStore(engine)
        try await store.write { connection in
            try Self.goBack(to: version, connection, engine)
            try connection.migrate()
            let old = try connection.events.insert(
                event("e0"), device: 1, app: 1, contact: nil, now: storeEpoch
            )
            let new = try connection.events.insert(
                event("new", at: seconds(1)), device: 1, app: 1, contact: nil, now: storeEpoch
            )
            #expect(!old && new)
        }
        let listed = try await store.read { try $0.events.ofDevice(1, before: nil, limit: 100) }
        let own = Self.events.filter { $0.device == 1 }
        #expect(listed.count == own.count + 1 && listed.first?.eventID == "new")
        let expected = own.sorted { ($0.at, $0.id) > ($1.at, $1.id) }.map(\.id)
        #expect(listed.dropFirst().map(\.eventID) == expected)
        #expect(listed.allSatisfy { $0.deviceAt == nil })
        let named = try #require(own.first)
        #expect(listed.first { $0.eventID == named.id }?.name == named.name)
    }
}
