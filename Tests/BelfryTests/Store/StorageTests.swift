import BelfryModel
import BelfryRules
import Foundation
import GRDB
import Testing

@testable import Belfry

struct StorageTests {
    @Test("EVT-3: two clients on one directory are an error, not a crash; after the first has stopped it is free")
    func inUse() async throws {
        let world = try World()
        let first = try await world.start()
        do throws(BelfryError) {
            _ = try BelfryClient(
                configuration: world.configuration, platform: HeadlessPlatform(system: SystemProperties())
            )
            Issue.record("the directory was taken twice")
        } catch {
            #expect(error.code == .directoryInUse)
            #expect(error.field == "directory")
        }
        try await first.track("still at work")
        await first.stop()
        try await world.start().waitUntilIdle()
        #expect(await world.server.tracked.map(\.name) == ["still at work"])
        await world.kill()
    }

    @Test("EVT-3: a stopped client says so")
    func stopped() async throws {
        let world = try World()
        let client = try await world.start()
        await client.stop()
        do throws(BelfryError) {
            try await client.track("late")
            Issue.record("a stopped client recorded an event")
        } catch {
            #expect(error.code == .stopped)
        }
        await client.stop()
    }

    @Test("EVT-3: a file of a newer version is refused, not misread")
    func newerSchema() async throws {
        let world = try World()
        let client = try world.make()
        try await client.track("old")
        try world.client.recorder.storage.opened().store.access { db in
            try db.execute(sql: "PRAGMA user_version = 99")
        }
        await world.kill()
        let next = try world.make()
        do throws(BelfryError) {
            try await next.track("new")
            Issue.record("a newer file was written to")
        } catch {
            #expect(error.code == .storageUnavailable)
            #expect(error.message.contains("99"))
        }
        await world.kill()
    }

    @Test("REG-1: the device id is created once for an installation")
    func deviceID() async throws {
        let world = try World()
        try await world.start().waitUntilIdle()
        let first = try await world.state.id
        try await world.restart()
        #expect(try await world.state.id == first)
        await world.kill()
    }

    @Test("REG-1: the whole record and the whole state are restored after a restart")
    func roundTrip() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.edit { record in
            record.setContactKey("anna")
            record.setPartyIdentifier(type: "email", name: "primary", number: "a@example.com")
            record.setAttribute("city", to: "Paris")
            record.setAttribute("age", to: 31.5)
            record.setAttribute("vip", to: true)
            record.addTags(["a", "b"])
            record.setPushEnabled(false)
        }
        try await client.setPushToken("0abcff", environment: .sandbox)
        try await client.setPushPermission(true)
        await client.waitUntilIdle()
        let before = try await world.state
        await world.kill()
        _ = try world.make()
        let after = try await world.state
        #expect(after.id == before.id)
        #expect(after.record == before.record)
        #expect(after.sync == before.sync)
        #expect(after.session == before.session)
        await world.kill()
    }

    @Test("ID-7: the store knows the owner of the oldest event, and the newest owner of all")
    func oldestOwner() async throws {
        let world = try World()
        let store = try world.make().recorder.storage.opened().store
        #expect(try store.queueStatus().oldestOwner == nil)
        for owner in [2, 3, 1] {
            _ = try store.append(QueuedEvent(owner: owner, trackedAt: World.epoch, body: Data("{}".utf8)))
        }
        #expect(try store.queueStatus().oldestOwner == 2)
        #expect(try store.newestOwner() == 3)
        await world.kill()
    }

    @Test("ID-7: when the sync state is lost, nobody becomes the owner of the queued events")
    func lostOwners() async throws {
        let world = try World()
        let early = try world.make()
        try await early.track("before the first start")
        #expect(try await world.state.sync.link.owner == 0)
        await world.kill()
        // Never started is not lost: that event belongs to the first contact.
        let store = try world.make().recorder.storage.opened().store
        #expect(try await world.state.sync.link.owner == 0)
        _ = try store.append(QueuedEvent(owner: 3, trackedAt: World.epoch, body: Data("{}".utf8)))
        try store.commit(StoreChange(values: [.sync: Data("rotten".utf8)]))
        await world.kill()
        _ = try world.make()
        #expect(try await world.state.sync.link.owner == 4)
        await world.kill()
    }

    @Test("WIRE-1: the path of the server's address precedes each call as it was written, with its escapes")
    func path() throws {
        let world = try World()
        let cases = [("", ""), ("/", ""), ("/push", "/push"), ("/push/", "/push"), ("/a%20b/%3Fc", "/a%20b/%3Fc")]
        for (path, prefix) in cases {
            let address = try #require(URL(string: "https://example.com\(path)"))
            let configuration = try BelfryConfiguration(
                appCode: "shop", serverURL: address, directory: world.directory
            )
            #expect(configuration.path("/client") == "\(prefix)/v3/apps/shop/client")
        }
    }

    @Test("EVT-1, EVT-5: a durable event was tracked, even if no room can be made for it")
    func noRoom() async throws {
        struct DiskFull: Error {}
        let world = try World { $0.queueLimits = QueueLimits(count: 3, bytes: 1_000_000, age: 3_600) }
        let isFull = Locked(true)
        var environment = DeviceEnvironment.manual(world.clock, Chance(seed: 1))
        environment.storeProbe = StoreProbe(
            access: {},
            before: { write in
                if write == .removal, isFull.withLock({ $0 }) { throw DiskFull() }
            },
            after: { _ in }
        )
        let client = try BelfryClient(
            configuration: world.configuration, platform: HeadlessPlatform(system: SystemProperties()),
            transport: world.server, environment: environment
        )
        for number in 0..<5 {
            try await client.track("event \(number)")
        }
        // A step with events of its own is as durable, and the engine continues from it.
        try await client.start()
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        #expect(try await client.state().queue.count == 7)
        #expect(try await client.state().contact == "known")
        #expect(await world.server.requests.isEmpty)
        isFull.withLock { $0 = false }
        try await client.track("event 5")
        #expect(try await client.state().queue.count == 3)
        await client.stop()
    }

    @Test("PERF-9: a device that was never started does not read its queue to find the owners")
    func ownersOfTheUnstarted() async throws {
        let world = try World()
        try await world.make().track("before the first start")
        let stored = try world.client.recorder.storage.opened().store.value(.sync)
        #expect(stored != nil)
        await world.kill()
        _ = try world.make()
        #expect(try await world.state.sync.link.owner == 0)
        await world.kill()
    }

    @Test("EVT-1: configurations out of range are refused with the field")
    func configuration() throws {
        let world = try World()
        let cases: [(field: String, change: (inout BelfryConfiguration) -> Void)] = [
            ("sessionTimeout", { $0.sessionTimeout = 0 }),
            ("editCollection", { $0.editCollection = 61 }),
            ("uploads.flushCount", { $0.uploads.flushCount = 0 }),
            ("uploads.batchBytes", { $0.uploads.batchBytes = 1_048_577 }),
            ("uploads.batchBytes", { $0.uploads.batchBytes = 65_536 }),
            ("queueLimits.count", { $0.queueLimits.count = 0 }),
            ("queueLimits.age", { $0.queueLimits.age = .nan }),
        ]
        for (field, change) in cases {
            var configuration = world.configuration
            change(&configuration)
            do throws(BelfryError) {
                try configuration.validate()
                Issue.record("\(field) was taken")
            } catch {
                #expect(error.code == .invalidConfiguration)
                #expect(error.field == field)
            }
        }
        #expect(throws: BelfryError.self) {
            try BelfryConfiguration(appCode: "", serverURL: world.configuration.serverURL, directory: world.directory)
        }
        for address in [
            "ftp://example.com", "https://", "https://example.com?x=1", "file:///x", "https://anna@example.com",
            "https://anna:secret@example.com", "https://:secret@example.com",
        ] {
            guard let url = URL(string: address) else { continue }
            #expect(throws: BelfryError.self) {
                try BelfryConfiguration(appCode: "shop", serverURL: url, directory: world.directory)
            }
        }
    }
}
