import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation

extension ServiceWorld {
    var contacts: ContactService { ContactService(database: database, environment: environment) }
    var housekeeping: Housekeeping { housekeeping(over: database) }
    func housekeeping(over database: any SQLDatabase) -> Housekeeping {
        Housekeeping(database: database, environment: environment, attempts: attempts, logger: logger)
    }

    /// The key of the contact that each event belongs to, by the event's id; of one without a contact, "nobody".
    func owners() async throws -> [String: String] {
        let pairs = try await database.read { connection -> [(String, String)] in
            let keys = try connection.contactKeys()
            return try connection.query("SELECT event_id, contact_id FROM events", []) { row in
                (row.text(0), row.isNull(1) ? "nobody" : keys[row.integer(1)] ?? "nobody")
            }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// The key of an anonymous contact that ``mergeContacts(_:into:)`` makes.
    static func keyOfPart(_ number: Int, of key: String) -> String { "anonymous:\(key)-\(number)" }

    /// Makes contacts that have gone into one.
    func mergeContacts(_ count: Int, into key: String) async throws {
        let (app, now) = (app.id, clock.now)
        try await database.write { connection in
            let person = try connection.contacts.findOrInsert(app: app, key: key, known: true, now: now)
            try connection.executeEach(
                """
                INSERT INTO contacts (app_id, contact_key, known, attributes, created_at, updated_at, merged_into)
                VALUES (?, ?, 0, '{}', ?, ?, ?)
                """,
                (1...count).map { number in
                    [
                        .integer(app), .text(Self.keyOfPart(number, of: key)), .date(now), .date(now),
                        .integer(person),
                    ]
                }
            )
            try connection.fillDirectories()
        }
    }

    /// The keys of a list of contacts.
    func contactKeys(orphaned: Bool = false) async throws -> [String] {
        try await directory.contacts(app: app, orphaned: orphaned, before: nil, limit: 1_000).contacts.map(\.key)
    }

    func rows(_ table: String, where condition: String = "1 = 1") async throws -> Int {
        try await database.read { connection in
            try connection.first(
                SQLText(ofTest: "SELECT count(*) /* seen by a test */ FROM \(table) WHERE \(condition)"), []
            ) {
                Int($0.integer(0))
            } ?? 0
        }
    }
}

extension SQLConnection {
    /// The keys of all contacts by their numbers. Events lie by their devices on a cluster, which joins them with no contacts.
    func contactKeys() throws -> [Int64: String] {
        let pairs = try query("SELECT id, contact_key FROM contacts", []) { ($0.integer(0), $0.text(1)) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}

extension DeviceRepository {
    /// The device of this installation, made when it is unknown.
    func findOrInsert(app: Int64, client: DeviceID, now: Date) throws -> DeviceRow {
        try find(app: app, client: client) ?? insert(app: app, client: client, now: now)
    }
}

extension ServiceDevice {
    /// Registers attributes and tags, and lets the server process them.
    mutating func tell(
        _ attributes: [String: AttributeValue], key: String? = nil, tags: [String]? = nil
    ) async throws {
        _ = try await register {
            $0.contactKey = key
            $0.attributes = attributes
            $0.tags = tags
        }
        try await world.process()
    }
}
