import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// SEC-2: what a device has said is removed some at a time.
struct RemovalTests {
    /// Three of these are as much as a transaction removes.
    private static let text = String(repeating: "a", count: 3 * MoveRoom.maximumBytes / 8)

    @Test(
        "SEC-2, REG-36: registrations go by a bounded number of bytes: of an installation that ended the newest first",
        arguments: Engine.allCases)
    func registrations(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (finished, all) = try await store.write { connection -> ([[Int64]], [[Int64]]) in
            let devices = try connection.makeDevices(2, app: 1)
            for device in devices {
                for revision in 1...6 as ClosedRange<Int64> {
                    _ = try connection.registrations.insert(
                        "r\(revision)", revision: revision, snapshot: Self.text, device: device,
                        order: PropertyOrder(), now: storeEpoch
                    )
                }
            }
            try connection.execute("UPDATE registrations SET status = 'processed' WHERE revision < 6")
            var finished: [[Int64]] = []
            var all: [[Int64]] = []
            for _ in 0..<2 {
                var room = MoveRoom.atOnce
                let areFinishedGone = try connection.registrations.deleteSome(of: devices[0], .finished, in: &room)
                finished.append(try connection.revisions(of: devices[0]))
                #expect(areFinishedGone == (finished.count == 2))
                var other = MoveRoom.atOnce
                let areAllGone = try connection.registrations.deleteSome(of: devices[1], in: &other)
                all.append(try connection.revisions(of: devices[1]))
                #expect(areAllGone == (all.count == 2))
            }
            return (finished, all)
        }
        #expect(finished == [[4, 5, 6], [6]])
        #expect(all == [[1, 2, 3], []])
    }

    @Test("SEC-2, REG-36: messages go by a bounded number of bytes", arguments: Engine.allCases)
    func messages(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let steps = try await store.write { connection -> [Int] in
            try connection.executeEach(
                """
                INSERT INTO center_messages (contact_id, center, sent_at, campaign_id, app_id, variant, state, body,
                    rich_html)
                VALUES (-5, 'c', 0, ?, 1, '', 'unread', '{}', ?)
                """,
                (1...7 as ClosedRange<Int64>).map { [.integer($0), .text(Self.text)] }
            )
            return try (0..<3).map { _ in
                var room = MoveRoom.atOnce
                return try connection.centerMessages.eraseSome(of: -5, in: &room).count
            }
        }
        #expect(steps == [3, 3, 1])
    }

    @Test("SEC-2, EVT-7: the upkeep removes old events by a bounded number of bytes", arguments: Engine.allCases)
    func oldEvents(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let steps = try await store.write { connection -> [Step] in
            try connection.executeEach(
                """
                INSERT INTO events (device_id, event_id, app_id, contact_id, kind, name, at, received_at, attributes)
                VALUES (5, ?, 1, NULL, 'custom', 'n', 0, 0, ?)
                """,
                (1...7).map { [.text("e\($0)"), .text(Self.text)] }
            )
            return try (0..<4).map { _ in
                Step(try connection.housekeeping.deleteEvents(of: 1...9, before: [1: storeEpoch], limit: 1_000))
            }
        }
        #expect(steps == Self.steps)
    }

    @Test("SEC-2, MC-5: the upkeep removes old messages by a bounded number of bytes", arguments: Engine.allCases)
    func oldMessages(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let steps = try await store.write { connection -> [Step] in
            try connection.executeEach(
                """
                INSERT INTO center_messages (contact_id, center, sent_at, campaign_id, app_id, variant, expires_at,
                    state, body, rich_html)
                VALUES (5, 'c', 0, ?, 1, '', 0, 'unread', '{}', ?)
                """,
                (1...7 as ClosedRange<Int64>).map { [.integer($0), .text(Self.text)] }
            )
            return try (0..<4).map { _ in
                Step(try connection.housekeeping.deleteMessages(of: 1...9, before: storeEpoch, limit: 1_000))
            }
        }
        #expect(steps == Self.steps)
    }

    /// What one write has removed.
    private struct Step: Hashable, Sendable {
        let count: Int
        let areAll: Bool

        init(_ removed: (count: Int, areAll: Bool)) {
            (count, areAll) = removed
        }
    }

    private static let steps = [
        Step((3, false)), Step((3, false)), Step((1, true)), Step((0, true)),
    ]
}

extension SQLConnection {
    fileprivate func revisions(of device: Int64) throws -> [Int64] {
        try query(
            "SELECT revision FROM registrations WHERE device_id = ? ORDER BY revision", [.integer(device)]
        ) { $0.integer(0) }
    }
}
