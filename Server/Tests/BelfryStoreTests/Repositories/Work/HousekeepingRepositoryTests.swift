import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

struct HousekeepingRepositoryTests {
    @Test(
        "EVT-7: exactly the events that are too old for their app are removed, a limited number at once",
        arguments: Engine.allCases, Endurance.seeds(6, brief: 2)
    )
    func events(_ engine: Engine, seed: UInt64) async throws {
        let store = try TestStore(engine, isRecycled: true)
        var dice = SeededGenerator(seed: seed)
        let events = (0..<90).map { number in
            AgedEvent(
                number: number, device: Int64.random(in: 1...5, using: &dice),
                app: Int64.random(in: 1...3, using: &dice), age: Double(Int.random(in: 1...60, using: &dice))
            )
        }
        // App 3 keeps its events for good.
        let ages: [Int64: Double] = [1: 20, 2: 40]
        let limits = ages.mapValues { seconds(-$0) }
        let devices: ClosedRange<Int64> = 2...4
        let expired = events.filter { devices.contains($0.device) && $0.age > ages[$0.app] ?? .infinity }
        let (removed, left) = try await store.write { connection in
            for event in events {
                try connection.insertEvent(
                    event.number, device: event.device, app: event.app, contact: nil, receivedAt: seconds(-event.age)
                )
            }
            var removed: [Int] = []
            while try connection.housekeeping.haveExpiredEvents(devices, before: limits) {
                removed.append(
                    try connection.housekeeping.deleteEvents(of: devices, before: limits, limit: 4).count
                )
            }
            return (removed, try connection.query("SELECT event_id FROM events", []) { $0.text(0) })
        }
        #expect(removed.reduce(0, +) == expired.count && removed.dropLast().allSatisfy { $0 == 4 })
        #expect(Set(left) == Set(events.map { "e\($0.number)" }).subtracting(expired.map { "e\($0.number)" }))
        #expect(try await store.read { try $0.housekeeping.haveExpiredEvents(1...5, before: [:]) } == false)
    }

    private struct AgedEvent {
        let number: Int
        let device: Int64
        let app: Int64
        /// In seconds.
        let age: Double
    }

    @Test("ADM-1: the audit log is removed from its oldest line on, in limited steps", arguments: Engine.allCases)
    func auditLog(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let (removed, left) = try await store.write { connection in
            for second in 0..<10 {
                try connection.audit.append(
                    AuditEntry(
                        at: seconds(Double(second)), actor: "root", app: nil, action: "\(second)", target: nil
                    )
                )
            }
            let removed = try (0..<4).map { _ in
                try connection.housekeeping.deleteAuditLines(before: seconds(7), limit: 3)
            }
            return (removed, try connection.audit.newest(99).map(\.action))
        }
        #expect(removed == [3, 3, 1, 0])
        #expect(left == ["9", "8", "7"])
    }

    @Test("ADM-3: stored responses are removed in limited numbers", arguments: Engine.allCases)
    func answers(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let removed = try await store.write { connection in
            for number in 0..<10 {
                try connection.execute(
                    """
                    INSERT INTO idempotent_answers (principal, idempotency_key, request_hash, status, body, created_at)
                    VALUES (?, 'k', ?, 200, '{}', ?)
                    """,
                    [.text("key-\(number)"), .blob([1]), .date(seconds(Double(number)))]
                )
            }
            return try (0..<4).map { _ in
                try connection.housekeeping.deleteAnswers(before: seconds(7), limit: 3)
            }
        }
        #expect(removed == [3, 3, 1, 0])
    }
}
