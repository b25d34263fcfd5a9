import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct RegistrationIngestionTests {
    @Test("REG-20: a snapshot is acknowledged before it is processed, and its receipt has its status")
    func receipt() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let response = try await device.register { $0.attributes = ["shoe": 44] }
        #expect(response.status == .received && response.revision == 1 && response.rejected.isEmpty)
        #expect(try await world.profile(device).device.revision == 0)
        let caller = try device.authenticated()
        let before = try await world.registrations.receipt(response.registrationID, caller: caller).value
        #expect(before == response)
        try await world.process()
        let after = try await world.registrations.receipt(response.registrationID, caller: caller).value
        #expect(after.status == .partlyRejected)
        #expect(after.rejected.map(\.field) == ["attributes.shoe"])
    }

    @Test("REG-20: a receipt is shown to its own device only")
    func foreignReceipt() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let response = try await device.register()
        let other = try await ServiceDevice.started(world, 2)
        let code = await errorCode {
            try await world.registrations.receipt(response.registrationID, caller: try other.authenticated())
        }
        #expect(code == "notFound")
    }

    @Test("REG-21: whatever comes late, the newest revision wins, and the response has the highest")
    func lateRevision() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var device = try await ServiceDevice.started(world, 1)
        var receipts: [RegistrationIngestion.Receipt] = []
        // 3 and 2 are processed together, 5 and 4 one by one.
        for (revision, city) in [(3, "Rome"), (2, "Paris")] {
            receipts.append(try await device.send(city, revision: revision))
        }
        try await world.process()
        for (revision, city) in [(5, "Oslo"), (4, "Bern")] {
            receipts.append(try await device.send(city, revision: revision))
            try await world.process()
        }
        #expect(receipts.map(\.revision) == [3, 3, 5, 5])
        #expect(receipts.map(\.status) == [.received, .superseded, .received, .superseded])
        let caller = try device.authenticated()
        var statuses: [ReceiptStatus] = []
        for receipt in receipts {
            statuses.append(try await world.registrations.receipt(receipt.registrationID, caller: caller).value.status)
        }
        #expect(statuses == [.processed, .superseded, .processed, .superseded])
        let profile = try await world.profile(device)
        #expect(profile.contact?.attributes == ["city": "Oslo"])
        #expect(profile.device.revision == 5)
        // A restored back-up begins again, and learns where to continue.
        #expect(try await device.send("Wien", revision: 1).revision == 5)
    }

    @Test("REG-21: who says something else under a revision that the server knows is told, and continues above it")
    func knownRevision() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var device = try await ServiceDevice.started(world, 1)
        var receipts: [RegistrationIngestion.Receipt] = []
        // A back-up was made at revision 1, and restored once the server had 2.
        for (revision, city) in [(1, "Rome"), (2, "Paris"), (2, "Oslo")] {
            receipts.append(try await device.send(city, revision: revision))
            try await world.process()
        }
        #expect(receipts.map(\.status) == [.received, .received, .superseded])
        #expect(receipts.map(\.revision) == [1, 2, 2])
        let caller = try device.authenticated()
        let last = try await world.registrations.receipt(receipts[2].registrationID, caller: caller)
        #expect(last.value.status == .superseded)
        #expect(try await world.profile(device).contact?.attributes == ["city": "Paris"])
        // While the first of two waits, the second is told as well.
        #expect(try await device.send("Wien", revision: 3).status == .received)
        #expect(try await device.send("Bern", revision: 3).status == .superseded)
        #expect(try await device.send("Bern", revision: 4).status == .received)
        try await world.process()
        #expect(try await world.profile(device).contact?.attributes == ["city": "Bern"])
    }

    @Test("REG-21, WIRE-25: a registration that is repeated changes nothing")
    func repeated() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var device = try await ServiceDevice.started(world, 1)
        var snapshot = device.snapshot(revision: 1)
        snapshot.attributes = ["city": "Paris"]
        let first = try await device.send(snapshot)
        #expect(try await device.send(snapshot) == first)
        try await world.process()
        let before = try await world.profile(device)
        world.clock.advance(by: 60)
        let again = try await device.send(snapshot)
        #expect(again.status == .processed)
        #expect(try await world.processor.processWaiting() == 0)
        let after = try await world.profile(device)
        #expect(after.device == before.device && after.contact == before.contact)
    }

    @Test("WIRE-25: a registration id that comes again with another snapshot is refused, and nothing changes")
    func reusedID() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var device = try await ServiceDevice.started(world, 1)
        var snapshot = device.snapshot(revision: 1)
        snapshot.attributes = ["city": "Paris", "age": 31.5]
        snapshot.tags = []
        _ = try await device.send(snapshot)
        let changes: [@Sendable (inout RegistrationSnapshot) -> Void] = [
            { $0.attributes = ["city": "Rome"] }, { $0.revision = 2 }, { $0.tags = nil }, { $0.pushEnabled = false },
        ]
        for change in changes {
            var other = snapshot
            change(&other)
            #expect(await device.rejection(of: other) == "registrationIdReused")
        }
        try await world.process()
        var late = snapshot
        late.attributes = ["city": "Oslo"]
        #expect(await device.rejection(of: late) == "registrationIdReused")
        #expect(try await world.processor.processWaiting() == 0)
        let profile = try await world.profile(device)
        #expect(profile.contact?.attributes == ["city": "Paris"] && profile.device.revision == 1)
        // With another spelling of the device's id it is a repetition.
        snapshot.deviceId = snapshot.deviceId.uppercased()
        #expect(await device.rejection(of: snapshot) == nil)
    }

    @Test("REG-20: a registration that cannot be applied ends alone, and says so; the others are applied")
    func unappliable() async throws {
        let world = try await ServiceWorld()
        var devices: [ServiceDevice] = []
        var receipts: [RegistrationIngestion.Receipt] = []
        for number in 1...3 {
            var device = try await ServiceDevice.started(world, number)
            receipts.append(try await device.register())
            devices.append(device)
        }
        let bad = receipts[1].registrationID
        try await world.database.write { connection in
            _ = try connection.execute(
                "UPDATE registrations SET snapshot = 'no JSON' WHERE registration_id = ?", [.text(bad)]
            )
        }
        #expect(try await world.processor.processWaiting() == 3)
        var ends: [RegistrationIngestion.Receipt] = []
        for (device, receipt) in zip(devices, receipts) {
            let caller = try device.authenticated()
            ends.append(try await world.registrations.receipt(receipt.registrationID, caller: caller).value)
        }
        #expect(ends.map(\.status) == [.processed, .partlyRejected, .processed])
        #expect(ends[1].rejected.map(\.reason) == ["notApplied"])
        #expect(try await world.profile(devices[1]).device.revision == 0)
        #expect(try await world.processor.processWaiting() == 0)
    }

    @Test("REG-20: when the database fails, every registration waits")
    func databaseFails() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let receipt = try await device.register()
        let dead = MortalDatabase(world.database, isLastWrite: { _ in true })
        _ = try await dead.write { _ in }
        let processor = world.makeProcessor(dead, received: AsyncSignal())
        await #expect(throws: MortalDatabase.Dead.self) { try await processor.processWaiting() }
        let caller = try device.authenticated()
        #expect(try await world.registrations.receipt(receipt.registrationID, caller: caller).value.status == .received)
    }

    @Test("WIRE-20: the snapshot's device is the caller; ids and revisions are valid")
    func rejections() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let changes: [(String, @Sendable (inout RegistrationSnapshot) -> Void)] = [
            ("mismatch", { $0.deviceId = "00000000-0000-4000-8000-000000000002" }),
            ("invalidId", { $0.registrationId = "first" }),
            ("outOfRange", { $0.revision = 0 }),
            ("outOfRange", { $0.revision = 1 << 53 }),
            ("outOfRange", { $0.revision = .max }),
        ]
        for (code, change) in changes {
            var snapshot = device.snapshot(revision: 1)
            change(&snapshot)
            var rejected: String?
            do {
                _ = try await device.send(snapshot)
            } catch ServiceError.invalid(_, let rejection) {
                rejected = rejection.code
            }
            #expect(rejected == code)
        }
        #expect(try await world.processor.processWaiting() == 0)
        var last = device.snapshot(revision: 1)
        last.revision = (1 << 53) - 1
        let receipt = try await device.send(last)
        #expect(receipt.revision == last.revision)
    }

    @Test("REG-20: registrations that a former process left are processed at the start")
    func processorRuns() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        _ = try await device.register()
        let (processed, done) = AsyncStream.makeStream(of: Void.self)
        let client = device.client
        let app = world.app.id
        let watched = MortalDatabase(
            world.database, isLastWrite: { try $0.devices.find(app: app, client: client)?.revision == 1 },
            onDeath: { done.yield() }
        )
        let processor = world.makeProcessor(watched, received: AsyncSignal())
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await processor.run() }
            for await _ in processed { break }
            group.cancelAll()
        }
        #expect(try await world.profile(device).device.revision == 1)
    }
}

extension ServiceDevice {
    /// The code with which a snapshot is refused; nil when it is taken.
    fileprivate func rejection(of snapshot: RegistrationSnapshot) async -> String? {
        await errorCode { try await world.registrations.receive(snapshot, caller: try authenticated()) }
    }

    func snapshot(revision: Int) -> RegistrationSnapshot {
        RegistrationSnapshot(
            deviceId: client.rawValue, registrationId: world.environment.uuid().uuidString, revision: Int64(revision),
            pushEnabled: true
        )
    }

    mutating func send(_ city: String, revision: Int) async throws -> RegistrationIngestion.Receipt {
        var snapshot = snapshot(revision: revision)
        snapshot.attributes = ["city": .string(city)]
        return try await send(snapshot)
    }
}
