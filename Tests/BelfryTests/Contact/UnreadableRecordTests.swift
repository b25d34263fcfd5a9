import BelfryModel
import Foundation
import Testing

@testable import Belfry

/// A stored record of which something, or everything, cannot be read.
struct UnreadableRecordTests {
    private func read(_ json: String) throws -> ContactRecord {
        try JSONDecoder().decode(StoredRecord.self, from: Data(json.utf8)).record
    }

    @Test("REG-1, REG-36: an unreadable field affects no other, and an unreadable consent counts as an opt-out")
    func byField() throws {
        let record = try read(
            #"""
            {"contactKey":7,"pushEnabled":"perhaps","osPushEnabled":"perhaps","attributes":{"city":"Paris","odd":{}},
             "tags":["sports",5],"system":{"timeZone":9},"pushToken":{"value":"0abcff"}}
            """#
        )
        #expect(record.contactKey == nil)
        #expect(!record.pushEnabled)
        #expect(record.osPushEnabled == false)
        #expect(record.attributes.map(\.key.rawValue) == ["city"])
        #expect(record.tags.map(\.rawValue) == ["sports"])
        #expect(record.system == SystemProperties())
        #expect(record.pushToken == nil)
    }

    @Test("REG-1: a record that an earlier version stored is read correctly")
    func earlierVersion() throws {
        let record = try read(#"{"pushEnabled":true,"attributes":{},"tags":["a"],"system":{"platform":"ios"}}"#)
        #expect(record.pushEnabled)
        #expect(record.osPushEnabled == nil && !record.osPushIsUnasked)
        #expect(record.system.platform == "ios")
        let rejected = try read(#"{"pushEnabled":false,"osPushEnabled":null,"attributes":{},"tags":[],"system":{}}"#)
        #expect(!rejected.pushEnabled)
        #expect(rejected.osPushEnabled == nil)
    }

    @Test("REG-36: an unreadable record does not become an opt-in")
    func rotten() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.edit { $0.setPushEnabled(false) }
        await client.waitUntilIdle()
        try client.recorder.storage.opened().store.commit(StoreChange(values: [.record: Data("rotten".utf8)]))
        await world.kill()
        let next = try await world.start()
        try await world.advance(by: 120)
        #expect(try await !next.state().consent.pushEnabled)
        #expect(await world.server.snapshots.last?.pushEnabled == false)
        await world.kill()
    }

    @Test("REG-30: that the person was never asked is remembered over restarts")
    func unasked() throws {
        let record = ContactRecord(osPushIsUnasked: true)
        let data = try JSONEncoder().encode(StoredRecord(record))
        #expect(try JSONDecoder().decode(StoredRecord.self, from: data).record == record)
    }
}
