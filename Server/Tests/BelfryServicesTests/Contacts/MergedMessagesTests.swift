import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// SEC-9: a contact's messages may have hundreds of megabytes, and a merge moves a limited number of bytes in a write.
struct MergedMessagesTests {
    /// Three of these are as much as a write moves.
    private static let text = String(repeating: "x", count: MoveRoom.maximumBytes / 3)

    /// Two contacts with a device each. The first has seven long messages, of which it has read the oldest. The other
    /// has that one as well, and has not read it.
    private static func people(_ world: ServiceWorld) async throws -> (ann: Int64, anna: Int64) {
        var numbers: [Int64] = []
        for (number, key) in ["ann", "anna"].enumerated() {
            var device = try await ServiceDevice.started(world, number + 1)
            try await device.identify(key)
            numbers.append(try #require(try await device.row.contact))
        }
        let (ann, anna, app) = (numbers[0], numbers[1], world.app.id)
        let anns = (1...7 as ClosedRange<Int64>).map { campaign -> [SQLValue] in
            [.integer(ann), .integer(campaign), .integer(app), .text(Self.text)]
        }
        let annas: [SQLValue] = [.integer(anna), .integer(1), .integer(app), .text(Self.text)]
        try await world.database.write { connection in
            _ = try connection.executeEach(
                """
                INSERT INTO center_messages (contact_id, center, sent_at, campaign_id, app_id, variant, state, body,
                    rich_html)
                VALUES (?, 'c', 0, ?, ?, '', 'unread', '{}', ?)
                """,
                anns + [annas]
            )
            try connection.execute(
                "UPDATE center_messages SET state = 'read', state_at = 5 WHERE contact_id = ? AND campaign_id = 1",
                [.integer(ann)]
            )
        }
        return (ann, anna)
    }

    @Test(
        "ADM-5, SEC-9: a write of a merge moves a limited number of bytes of messages, and a repeated call the others",
        arguments: Engine.ofEachRun)
    func steps(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let (ann, anna) = try await Self.people(world)
        for (left, moved) in [(4, 4), (1, 7)] {
            let dying = ContactService(
                database: MortalDatabase(world.database, isLastWrite: { _ in true }), environment: world.environment
            )
            await #expect(throws: MortalDatabase.Dead.self) {
                try await dying.merge("ann", into: "anna", field: "into", app: world.app)
            }
            #expect(try await world.rows("center_messages", where: "contact_id = \(ann)") == left)
            #expect(try await world.rows("center_messages", where: "contact_id = \(anna)") == moved)
            #expect(try await world.rows("contacts", where: "id = \(ann) AND merged_into IS NULL") == 1)
        }
        _ = try await world.contacts.merge("ann", into: "anna", field: "into", app: world.app)
        #expect(try await world.rows("center_messages", where: "contact_id = \(anna)") == 7)
        #expect(try await world.rows("center_messages") == 7)
        #expect(try await world.rows("contacts", where: "id = \(ann) AND merged_into = \(anna)") == 1)
        let joined = "contact_id = \(anna) AND campaign_id = 1 AND state = 'read' AND state_at = 5"
        #expect(try await world.rows("center_messages", where: joined) == 1)
    }

    @Test("REG-24, SEC-9: a write removes a limited number of bytes of an orphan's messages, the orphan with the last")
    func orphan() async throws {
        let world = try await ServiceWorld()
        let (ann, _) = try await Self.people(world)
        try await world.links.revoke(ServiceDevice(world, 1).client.rawValue, app: world.app)
        let dying = ContactService(
            database: MortalDatabase(world.database, isLastWrite: { _ in true }), environment: world.environment
        )
        await #expect(throws: MortalDatabase.Dead.self) { try await dying.removeOrphan("ann", app: world.app) }
        #expect(try await world.rows("center_messages", where: "contact_id = \(ann)") == 4)
        _ = try await world.contacts.removeOrphan("ann", app: world.app)
        #expect(try await world.rows("center_messages", where: "contact_id = \(ann)") == 0)
        #expect(try await world.rows("contacts", where: "id = \(ann)") == 0)
    }
}
