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
        try await world.start().settled()
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

    @Test("REG-1: the device id is made once for an installation")
    func deviceID() async throws {
        let world = try World()
        try await world.start().settled()
        let first = try await world.state.id
        try await world.restart()
        #expect(try await world.state.id == first)
        await world.kill()
    }

    @Test("REG-1: the whole record and the whole state come back after a restart")
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
        await client.settled()
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

    @Test("ID-7: the oldest owner is the lowest number, not that of the first event")
    func oldestOwner() async throws {
        let world = try World()
        let store = try world.make().recorder.storage.opened().store
        #expect(try store.oldestOwner() == nil)
        for owner in [3, 2, 3] {
            _ = try store.append(QueuedEvent(owner: owner, trackedAt: World.epoch, body: Data("{}".utf8)))
        }
        #expect(try store.oldestOwner() == 2)
        #expect(try store.newestOwner() == 3)
        await world.kill()
    }

    @Test("ID-7: when the state of the talk is lost, nobody becomes the owner of what is queued")
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

    @Test("EVT-1: configurations out of bounds are refused with the field")
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
        for address in ["ftp://example.com", "https://", "https://example.com?x=1", "file:///x"] {
            guard let url = URL(string: address) else { continue }
            #expect(throws: BelfryError.self) {
                try BelfryConfiguration(appCode: "shop", serverURL: url, directory: world.directory)
            }
        }
    }
}
