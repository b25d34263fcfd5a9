import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// REG-20: what was acknowledged is not thrown away because the database had a bad moment.
@Suite("Registrations that cannot be applied")
struct RegistrationErrorTests {
    private struct Riddle: Error {}

    /// Three devices, each with a registration that waits, and the ids of these.
    private static func waiting(_ world: ServiceWorld) async throws -> [(device: ServiceDevice, id: String)] {
        var waiting: [(device: ServiceDevice, id: String)] = []
        for number in 1...3 {
            var device = try await ServiceDevice.started(world, number)
            let receipt = try await device.register()
            waiting.append((device, receipt.registrationID))
        }
        return waiting
    }

    private static func processor(_ world: ServiceWorld, _ database: any SQLDatabase) -> RegistrationProcessor {
        world.makeProcessor(database, received: AsyncSignal())
    }

    private static func ends(_ world: ServiceWorld, _ waiting: [(device: ServiceDevice, id: String)]) async throws
        -> [String]
    {
        var ends: [String] = []
        for (device, id) in waiting {
            let receipt = try await world.registrations.receipt(id, caller: try device.authenticated()).value
            ends.append(receipt.status.rawValue)
        }
        return ends
    }

    @Test("REG-20: a lock, a full disk and the like end no registration, however often they occur")
    func passing() async throws {
        let world = try await ServiceWorld()
        let waiting = try await Self.waiting(world)
        let faulty = FaultyDatabase(world.database) { _ in throw StoreError.tryAgain(reason: "database is locked") }
        let processor = Self.processor(world, faulty)
        for round in 1...(2 * AttemptRule.maximum) {
            await #expect(throws: StoreError.self) { try await processor.processWaiting() }
            // Nothing else is tried meanwhile.
            #expect(faulty.count == round)
        }
        #expect(try await Self.ends(world, waiting) == ["received", "received", "received"])
        try await world.process()
        #expect(try await Self.ends(world, waiting) == ["processed", "processed", "processed"])
    }

    @Test("REG-20, SEC-8: one that fails for an unknown reason waits, delays nobody, and is quarantined")
    func unknown() async throws {
        let world = try await ServiceWorld()
        let waiting = try await Self.waiting(world)
        let (app, bad) = (world.app.id, waiting[1].device.client)
        let faulty = FaultyDatabase(world.database) { connection in
            if try connection.devices.find(app: app, client: bad)?.revision == 1 { throw Riddle() }
        }
        let processor = Self.processor(world, faulty)
        #expect(try await processor.processWaiting() == 3)
        for _ in 1..<AttemptRule.maximum {
            #expect(try await Self.ends(world, waiting) == ["processed", "received", "processed"])
            // It rests, and the others would continue.
            #expect(try await processor.processWaiting() == 0)
            world.clock.advance(by: RegistrationProcessor.restAfterFailure)
            #expect(try await processor.processWaiting() == 1)
        }
        #expect(try await Self.ends(world, waiting) == ["processed", "received", "processed"])
        world.clock.advance(by: RegistrationProcessor.restAfterFailure)
        #expect(try await processor.processWaiting() == 1)
        #expect(try await Self.ends(world, waiting) == ["processed", "partlyRejected", "processed"])
        #expect(try await processor.processWaiting() == 0)
        let work = try #require(try await world.quarantine.list(app: nil, before: nil, limit: 9).work.first)
        #expect(work.kind == "registration" && work.attempts == AttemptRule.maximum)
        #expect(work.reason.contains("Riddle"))
    }

    @Test("REG-20, SEC-8: a damaged database ends no registration, however often it fails, and delays no other")
    func damaged() async throws {
        let world = try await ServiceWorld()
        let waiting = try await Self.waiting(world)
        let (app, bad) = (world.app.id, waiting[1].device.client)
        let faulty = FaultyDatabase(world.database) { connection in
            if try connection.devices.find(app: app, client: bad)?.revision == 1 {
                throw StoreError.damaged(reason: "malformed")
            }
        }
        let processor = Self.processor(world, faulty)
        #expect(try await processor.processWaiting() == 3)
        for _ in 1...(2 * AttemptRule.maximum) {
            #expect(try await Self.ends(world, waiting) == ["processed", "received", "processed"])
            world.clock.advance(by: RegistrationProcessor.restAfterFailure)
            #expect(try await processor.processWaiting() == 0)
            world.clock.advance(by: WorkAttempts.restAtDamage)
            #expect(try await processor.processWaiting() == 1)
        }
        #expect(try await world.quarantined().isEmpty)
        world.clock.advance(by: WorkAttempts.restAtDamage)
        try await world.process()
        #expect(try await Self.ends(world, waiting) == ["processed", "processed", "processed"])
    }

    @Test("REG-20: one that the store can never accept ends at once and alone", arguments: [0, 1, 2])
    func lasting(kind: Int) async throws {
        let world = try await ServiceWorld()
        let waiting = try await Self.waiting(world)
        let (app, bad) = (world.app.id, waiting[1].device.client)
        let faulty = FaultyDatabase(world.database) { connection in
            guard try connection.devices.find(app: app, client: bad)?.revision == 1 else { return }
            switch kind {
            case 0: throw StoreError.corrupted(table: "devices", key: "1")
            case 1: throw ValueError(code: "invalidToken", message: "No token.")
            // What the engine refuses by itself counts as well.
            default: try connection.execute("UPDATE devices SET revision = NULL WHERE app_id = ?", [.integer(app)])
            }
        }
        #expect(try await Self.processor(world, faulty).processWaiting() == 3)
        #expect(try await Self.ends(world, waiting) == ["processed", "partlyRejected", "processed"])
    }

    @Test("REG-20: snapshots are processed in groups of limited size, and a long one by itself")
    func groups() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        let long = String(repeating: "x", count: 600_000)
        var lengths: [String] = ["a", long, "b", "c", long, long, "d"]
        lengths[5] += long
        for (number, text) in lengths.enumerated() {
            var device = try await ServiceDevice.started(world, number + 1)
            _ = try await device.register { $0.attributes = ["city": .string(text)] }
        }
        var groups: [Int] = []
        let processor = world.processor
        while true {
            let count = try await processor.processWaiting()
            guard count > 0 else { break }
            groups.append(count)
        }
        #expect(groups == [4, 1, 1, 1])
        #expect(try await world.rows("registrations", where: "status = 'received'") == 0)
    }

    @Test("REG-20: a snapshot that was changed after it was read is applied as it is in the write")
    func changedMeanwhile() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let receipt = try await device.register { $0.tags = ["old"] }
        let row = try #require(
            try await world.database.write { try $0.registrations.claimWaiting(limit: 1).first }
        )
        let read = try await world.database.read {
            try $0.registrations.waitingSnapshots(limit: 9, maximumBytes: 9)
        }
        let snapshots = DecodedSnapshots(read)
        #expect(snapshots.ids == [row.id] && row.registrationID == receipt.registrationID)
        #expect(try snapshots.snapshot(of: row).tags == ["old"])
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE registrations SET snapshot = replace(snapshot, 'old', 'new')")
        }
        let changed = try #require(
            try await world.database.write { try $0.registrations.claimWaiting(limit: 1).first }
        )
        #expect(try snapshots.snapshot(of: changed).tags == ["new"])
    }
}
