import BelfryServerTestSupport
@testable import BelfryServices
import BelfryStore
import Foundation
import Logging
import Synchronization
import Testing

/// SEC-9, REL-6: what the watch makes of a disk and of a database that fails.
struct StorageWatchTests {
    /// A disk, and what a database says of it, as a test has it.
    private final class Machine: Sendable {
        struct State {
            var space = DiskSpace(total: 1_000, available: 900, unsettled: 0)
            var isSeen = true
            var fault: StoreError?
            /// Fails one write, before any other fault.
            var faultOnce: StoreError?
            var canSettle = true
            var settlings = 0
        }

        let state = Mutex(State())

        func settle() throws {
            try state.withLock { state in
                state.settlings += 1
                guard state.canSettle else { throw StoreError.full(reason: "the file cannot grow") }
                // Half of the log's pages are new to the file.
                state.space.available += state.space.unsettled / 2
                state.space.unsettled = 0
            }
        }

        func fail() throws {
            let fault = state.withLock { state in
                defer { state.faultOnce = nil }
                return state.faultOnce ?? state.fault
            }
            if let fault { throw fault }
        }
    }

    /// A watch of that machine, and the database that tells it of its failures.
    private struct Place {
        let world: ServiceWorld
        let machine = Machine()
        let watch: StorageWatch
        let database: WatchedDatabase

        init(_ world: ServiceWorld, floor: DiskFloor = .bytes(100), hasDisk: Bool = true) {
            self.world = world
            let machine = machine
            let faulty = FaultyDatabase(world.database) { _ in try machine.fail() }
            let disk = StorageWatch.Disk(
                space: { machine.state.withLock { $0.isSeen ? $0.space : nil } }, settle: { try machine.settle() }
            )
            watch = StorageWatch(
                database: faulty, disk: hasDisk ? disk : nil, floor: floor, environment: world.environment,
                metrics: world.metrics, logger: world.logger
            )
            database = WatchedDatabase(faulty, watch: watch)
        }

        func write() async throws {
            try await database.write { try $0.touchSchema() }
        }

        /// The notices, and what is worse, in order.
        var lines: [String] { world.log.entries.filter { $0.level >= .notice }.map { "\($0.message)" } }

        func set(_ change: (inout Machine.State) -> Void) {
            machine.state.withLock { change(&$0) }
        }

        var settlings: Int { machine.state.withLock { $0.settlings } }
    }

    @Test(
        "SEC-9: no floor applies while the disk cannot be examined, which the log says once; it applies again afterwards"
    )
    func unseenDisk() async throws {
        let place = Place(try await ServiceWorld())
        place.set { $0.space.available = 50 }
        await place.watch.tick()
        #expect(place.watch.isLow && place.watch.diskReport != nil)
        place.set { $0.isSeen = false }
        for _ in 0..<2 { await place.watch.tick() }
        #expect(!place.watch.isLow && place.watch.obstacle == nil && place.watch.diskReport == nil)
        let begun = place.lines.filter { $0.contains("cannot be read, so no floor applies") }
        #expect(begun.count == 1)
        place.set { $0.isSeen = true }
        await place.watch.tick()
        #expect(place.watch.isLow)
        let ended = place.lines.filter { $0.contains("can be examined again") }
        #expect(ended.count == 1)
    }

    @Test("SEC-9: a log that fills the disk is copied back without effect on callers")
    func logIsCopiedBack() async throws {
        let place = Place(try await ServiceWorld())
        place.set { $0.space = DiskSpace(total: 1_000, available: 300, unsettled: 250) }
        await place.watch.tick()
        #expect(!place.watch.isLow && place.watch.obstacle == nil)
        #expect(place.settlings == 1)
        #expect(place.lines.isEmpty)
        await place.watch.tick()
        #expect(place.settlings == 1, "there is room, and nothing to do")
    }

    @Test("SEC-9: below the floor the store is closed until there is room, with a line at the beginning and the end")
    func belowTheFloor() async throws {
        let world = try await ServiceWorld()
        let place = Place(world)
        place.set { $0.space.available = 99 }
        for _ in 0..<20 { await place.watch.tick() }
        #expect(place.watch.isLow && place.watch.obstacle == .noRoom)
        for _ in 0..<7 { place.watch.noteRejection() }
        #expect(place.lines.count == 1)
        place.set { $0.space.available = 200 }
        world.clock.advance(by: 30)
        await place.watch.tick()
        #expect(!place.watch.isLow && place.watch.obstacle == nil)
        #expect(place.lines.count == 2 && place.lines.last == "the disk has enough free space again")
        #expect(world.log.entries.last?.metadata["refusedCalls"] == "7")
        #expect(world.log.entries.last?.metadata["seconds"] == "30")
        let text = world.metrics.prometheusText()
        #expect(text.contains("# TYPE belfry_disk_low gauge\nbelfry_disk_low 0"))
        #expect(text.contains(#"belfry_requests_refused_total{reason="storageFull"} 7"#))
        #expect(text.contains("belfry_disk_available_bytes 200") && text.contains("belfry_disk_floor_bytes 100"))
    }

    @Test("SEC-9: many writes within a second are noticed before the next check")
    func noticedByWrites() async throws {
        let place = Place(try await ServiceWorld())
        await place.watch.tick()
        place.set { $0.space.available = 10 }
        #expect(!place.watch.isLow)
        for _ in 0..<StorageWatch.writesBetweenLooks { try await place.write() }
        #expect(place.watch.isLow)
    }

    @Test("SEC-9: near the floor each write is followed by a check, far from it every eighth")
    func looksMoreOftenNear() async throws {
        let place = Place(try await ServiceWorld(), floor: .bytes(1 << 20))
        let total: Int64 = 1 << 40
        place.set { $0.space = DiskSpace(total: total, available: 2 << 20, unsettled: 0) }
        await place.watch.tick()
        place.set { $0.space.available = 1 << 10 }
        try await place.write()
        #expect(place.watch.isLow)
        let far = Place(try await ServiceWorld(), floor: .bytes(1 << 20))
        far.set { $0.space = DiskSpace(total: total, available: total / 2, unsettled: 0) }
        await far.watch.tick()
        far.set { $0.space.available = 1 << 10 }
        for _ in 1..<StorageWatch.writesBetweenLooks { try await far.write() }
        #expect(!far.watch.isLow)
        try await far.write()
        #expect(far.watch.isLow)
    }

    @Test("SEC-9: where the log is somebody else's affair the store closes at once, and opens when there is room")
    func withoutLog() async throws {
        let world = try await ServiceWorld()
        let space = Mutex(DiskSpace(total: 1_000, available: 900, unsettled: 0))
        let disk = StorageWatch.Disk(space: { space.withLock { $0 } }, settle: {})
        let watch = StorageWatch(
            database: world.database, disk: disk, floor: .bytes(100), environment: world.environment,
            metrics: world.metrics, logger: world.logger
        )
        await watch.tick()
        #expect(!watch.isLow && watch.diskReport?.space.available == 900)
        space.withLock { $0.available = 99 }
        try await WatchedDatabase(world.database, watch: watch).write { try $0.touchSchema() }
        #expect(watch.isLow && watch.obstacle == .noRoom, "a write has found it")
        await watch.tick()
        #expect(watch.isLow && watch.diskReport?.isLow == true)
        space.withLock { $0.available = 109 }
        await watch.tick()
        #expect(watch.isLow, "it does not swing around the floor")
        space.withLock { $0.available = 110 }
        await watch.tick()
        #expect(!watch.isLow && watch.obstacle == nil)
    }

    @Test("SEC-9: a disk on which only a small write succeeds counts as full, until there is room for others")
    func smallWritesProveNothing() async throws {
        let place = Place(try await ServiceWorld(), floor: .off)
        place.set {
            $0.space = DiskSpace(total: 1 << 30, available: 4_096, unsettled: 0)
            $0.fault = .full(reason: "disk")
        }
        await #expect(throws: StoreError.self) { try await place.write() }
        place.set { $0.fault = nil }
        for _ in 0..<3 { await place.watch.tick() }
        #expect(place.watch.obstacle == .noRoom)
        place.set { $0.space.available = 1 << 20 }
        await place.watch.tick()
        #expect(place.watch.obstacle == nil)
    }

    @Test("SEC-9, REL-6: where no disk is seen, only a trial of the room ends what a full disk has begun")
    func triedWithoutDisk() async throws {
        let place = Place(try await ServiceWorld(), hasDisk: false)
        let cases: [(StoreError, StorageObstacle?)] = [
            (.full(reason: "disk"), .noRoom), (.tryAgain(reason: "gone"), nil),
        ]
        for (fault, obstacle) in cases {
            place.set { $0.fault = fault }
            await #expect(throws: StoreError.self) { try await place.write() }
            place.set { $0.fault = nil }
            try await place.write()
            #expect(place.watch.obstacle == obstacle, "one that was small enough says nothing of others")
            await place.watch.tick()
            #expect(place.watch.obstacle == nil)
        }
    }

    @Test("SEC-9, REL-6: a failure for another reason does not end what a full disk has begun")
    func otherFailureWhileFull() async throws {
        let place = Place(try await ServiceWorld(), floor: .off)
        place.set {
            $0.space = DiskSpace(total: 1 << 30, available: 4_096, unsettled: 0)
            $0.fault = .full(reason: "disk")
        }
        await #expect(throws: StoreError.self) { try await place.write() }
        place.set { $0.fault = .tryAgain(reason: "gone") }
        await #expect(throws: StoreError.self) { try await place.write() }
        #expect(place.watch.obstacle == .noWrites)
        place.set { $0.fault = nil }
        await place.watch.tick()
        #expect(place.watch.obstacle == .noWrites, "there is still no room")
        try await place.write()
        #expect(place.watch.obstacle == .noRoom, "it was small enough, and is back")
        place.set { $0.space.available = 1 << 20 }
        await place.watch.tick()
        #expect(place.watch.obstacle == nil)
    }

    @Test("SEC-9, REL-6: a trial that the server does not permit keeps no database from being used again")
    func trialNotPermitted() async throws {
        let place = Place(try await ServiceWorld(), hasDisk: false)
        let cases: [(StoreError, StorageObstacle?)] = [
            (.full(reason: "disk"), .noRoom), (.rejected(reason: "permission"), nil),
        ]
        for (fault, obstacle) in cases {
            place.set { $0.fault = .full(reason: "disk") }
            await #expect(throws: StoreError.self) { try await place.write() }
            place.set {
                $0.fault = nil
                $0.faultOnce = fault
            }
            await place.watch.tick()
            #expect(place.watch.obstacle == obstacle)
        }
    }

    @Test("SEC-9: a small disk on which the log takes most of the space does not alternate")
    func smallDisk() async throws {
        let place = Place(try await ServiceWorld())
        for round in 1...20 {
            place.set { $0.space = DiskSpace(total: 1_000, available: 128, unsettled: 32) }
            for _ in 0..<StorageWatch.writesBetweenLooks { try await place.write() }
            #expect(!place.watch.isLow, "\(round): there is room once the log has been copied back")
            await place.watch.tick()
            #expect(!place.watch.isLow && place.settlings == round)
        }
        #expect(place.lines.isEmpty)
        place.set {
            $0.space = DiskSpace(total: 1_000, available: 128, unsettled: 32)
            $0.canSettle = false
        }
        await place.watch.tick()
        #expect(place.watch.isLow && place.lines.count == 1, "it was tried, and there is no room")
    }

    @Test(
        "SEC-9, REL-6: a failing database is reported once, probed while unused, and reported once when it works",
        arguments: [StoreError.full(reason: "disk"), .tryAgain(reason: "attempt to write a readonly database")])
    func failures(_ error: StoreError) async throws {
        let world = try await ServiceWorld()
        let place = Place(world, hasDisk: false)
        place.set { $0.fault = error }
        for _ in 0..<50 { await #expect(throws: StoreError.self) { try await place.write() } }
        #expect(place.watch.obstacle == (error == .full(reason: "disk") ? .noRoom : .noWrites))
        for _ in 0..<10 {
            world.clock.advance(by: 1)
            await place.watch.tick()
        }
        #expect(place.lines == ["the database does not accept writes"])
        place.set { $0.fault = nil }
        await place.watch.tick()
        #expect(place.watch.obstacle == nil, "the probe has found that it works")
        await place.watch.tick()
        #expect(place.lines == ["the database does not accept writes", "the database accepts writes again"])
        #expect(world.log.entries.last?.metadata["failures"] == "50")
        #expect(world.metrics.prometheusText().contains(#"belfry_database_failures_total{work="write"} 50"#))
    }

    @Test("SEC-9: on a full disk copying the log back is repeated until it is possible")
    func settlesUntilItCan() async throws {
        let place = Place(try await ServiceWorld(), floor: .off)
        place.set {
            $0.space = DiskSpace(total: 1_000, available: 0, unsettled: 500)
            $0.canSettle = false
            $0.fault = .full(reason: "disk")
        }
        await #expect(throws: StoreError.self) { try await place.write() }
        for _ in 0..<3 { await place.watch.tick() }
        #expect(place.settlings == 3 && place.watch.obstacle == .noRoom)
        place.set {
            $0.canSettle = true
            $0.fault = nil
        }
        await place.watch.tick()
        #expect(place.watch.obstacle == nil)
        #expect(place.machine.state.withLock { $0.space } == DiskSpace(total: 1_000, available: 250, unsettled: 0))
    }

    @Test("SEC-9: a write that breaks a rule of the store says nothing about its disk")
    func rejections() async throws {
        let place = Place(try await ServiceWorld())
        place.set { $0.fault = .rejected(reason: "UNIQUE") }
        await #expect(throws: StoreError.self) { try await place.write() }
        await place.watch.tick()
        #expect(place.watch.obstacle == nil && place.lines.isEmpty)
    }
}
