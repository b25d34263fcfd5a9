import BelfryModel
import Foundation
import GRDB
import Testing

@testable import Belfry

/// How much is kept of what the server refused.
struct DeadLetterTests {
    private func aside(_ store: DeviceStore) throws -> (count: Int, bytes: Int) {
        try store.access { db in
            (
                count: try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM set_aside") ?? 0,
                bytes: try Int.fetchOne(db, sql: "SELECT SUM(LENGTH(body)) FROM set_aside") ?? 0
            )
        }
    }

    private func addDeadLetter(
        _ body: Data, number: Int64, trackedAt: Date = World.epoch, in store: DeviceStore
    ) throws {
        _ = try store.append(QueuedEvent(owner: 0, trackedAt: trackedAt, body: body))
        let rejected = StoreChange.DeadLetter(id: number, reason: "refused")
        try store.commit(StoreChange(settled: number...number, deadLetters: [rejected]))
    }

    @Test("EVT-4: the size of the dead letters is limited, and the newest stay")
    func bytes() async throws {
        let world = try World()
        let store = try world.make().recorder.storage.opened().store
        for number in 1...100 {
            try addDeadLetter(Data(repeating: UInt8(number), count: 60_000), number: Int64(number), in: store)
        }
        let held = try aside(store)
        #expect(held.bytes <= DeadLetterTable.maximumBytes)
        #expect(held.count == DeadLetterTable.maximumBytes / 60_000)
        let newest = try store.access { db in
            try Data.fetchOne(db, sql: "SELECT body FROM set_aside ORDER BY id DESC LIMIT 1")
        }
        #expect(newest?.first == 100)
        #expect(try store.counter(CounterName.deadLetters) == 100)
        await world.kill()
    }

    @Test("EVT-4: dead letters that were tracked too long ago are deleted; those without a date stay")
    func age() async throws {
        let world = try World()
        let store = try world.make().recorder.storage.opened().store
        for (index, days) in [0, 10, 20].enumerated() {
            let date = World.epoch.addingTimeInterval(Double(days) * 86_400)
            let body = Data(#"{"timestamp":"\#(Timestamp.text(date))"}"#.utf8)
            try addDeadLetter(body, number: Int64(index + 1), trackedAt: date, in: store)
        }
        try addDeadLetter(Data([0xff, 0x00]), number: 4, in: store)
        try store.access { db in try db.execute(sql: "UPDATE set_aside SET tracked_at = NULL WHERE id = 4") }
        try store.dropDeadLetters(before: World.epoch.addingTimeInterval(10 * 86_400))
        let left = try aside(store).count
        #expect(left == 3)
        await world.kill()
    }

    @Test("EVT-4, REL-3: dead letters of a former version are as old as their events say")
    func migration() async throws {
        let world = try World()
        let store = try world.make().recorder.storage.opened().store
        for (index, days) in [0, 10, 20].enumerated() {
            let text = Timestamp.text(World.epoch.addingTimeInterval(Double(days) * 86_400))
            try addDeadLetter(Data(#"{"timestamp":"\#(text)"}"#.utf8), number: Int64(index + 1), in: store)
        }
        for (index, body) in [Data([0xff, 0x00]), Data("{}".utf8), Data(#"{"timestamp":"soon"}"#.utf8)].enumerated() {
            try addDeadLetter(body, number: Int64(index + 4), in: store)
        }
        try store.access { db in
            try db.execute(sql: "ALTER TABLE set_aside DROP COLUMN tracked_at; PRAGMA user_version = 4")
        }
        await world.kill()
        let next = try world.make().recorder.storage.opened().store
        try next.dropDeadLetters(before: World.epoch.addingTimeInterval(10 * 86_400))
        let left = try aside(next).count
        #expect(left == 5)
        await world.kill()
    }

    @Test("EVT-4, EVT-5: a clock that is set makes no dead letter too old, nor one that stays for good")
    func clockSet() async throws {
        let world = try World()
        world.setAhead.withLock { $0 = 0 }
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.set(rejectedAlone: ["bad"])
        try await client.track("bad")
        try await client.flush()
        let store = client.recorder.storage
        for days in [400.0, -400] {
            world.setClockAhead(by: days * 86_400)
            _ = try await world.nextWake()
            world.clock.advance(by: 2 * 86_400)
            _ = try await world.nextWake()
            let kept = try aside(store.opened().store).count
            #expect(kept == 1, "\(days)")
        }
        world.clock.advance(by: 29 * 86_400)
        // It may sleep until a moment by the clock that was ahead.
        try await client.flush()
        let left = try aside(store.opened().store).count
        #expect(left == 0)
        await world.kill()
    }

    @Test("EVT-4: a running client deletes dead letters that are older than the queue may be")
    func aged() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.set(rejectedAlone: ["bad"])
        try await client.track("bad")
        try await client.flush()
        let store = client.recorder.storage
        let first = try aside(store.opened().store).count
        #expect(first == 1)
        try await world.advance(by: 29 * 86_400)
        let second = try aside(store.opened().store).count
        #expect(second == 1)
        try await world.advance(by: 2 * 86_400)
        let third = try aside(store.opened().store).count
        #expect(third == 0)
        await world.kill()
    }
}
