import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// FLEET-5: whose inbox it is that an heir gets, on a distributed database as the stand-in shows it.
struct InboxHeirTests {
    private static let text = String(repeating: "x", count: MoveRoom.maximumBytes / 3)

    @Test("FLEET-5, MC-15: who moves what is left of an inbox to its heir holds the contact that the heir has")
    func holds() async throws {
        let store = try await TestStore.withApps(.postgres, isRecycled: false)
        try await store.write { connection in
            let devices = try connection.makeDevices(2, app: 1)
            let contact = try connection.contacts.findOrInsert(
                app: 1, key: "anonymous:1", known: false, now: storeEpoch
            )
            try connection.execute(
                "UPDATE devices SET contact_id = ? WHERE id = ?", [.integer(contact), .integer(devices[1])]
            )
            // More than one write moves.
            try connection.executeEach(
                """
                INSERT INTO center_messages (contact_id, center, sent_at, campaign_id, app_id, variant, state, body,
                    rich_html)
                VALUES (?, 'c', 0, ?, 1, '', 'unread', '{}', ?)
                """,
                (1...5 as ClosedRange<Int64>).map { [.integer(-devices[0]), .integer($0), .text(Self.text)] }
            )
            let rows = try devices.compactMap { try connection.devices.find(id: $0) }
            try connection.endedInstallations.end(rows[0], heir: rows[1])
            try CitusStandIn.install(connection)
        }
        _ = try CitusStandIn.setUp(store, copyingRows: true)
        let entered = try store.another()
        defer { try? entered.close() }
        let locks = try await entered.database.write { connection -> Int64? in
            let move = try #require(try connection.eventMoves.next(after: .start, for: "p", now: storeEpoch))
            _ = try connection.eventMoves.go(on: move)
            return try connection.first(
                """
                SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND pid = pg_backend_pid()
                """,
                []
            ) { $0.integer(0) }
        }
        #expect(locks == 1)
    }
}
