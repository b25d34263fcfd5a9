import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// WIRE-9: a row that has changed has a later moment than before, whatever the clocks say; a sync asks for nothing else.
struct ChangeStampTests {
    private static func stamp(_ table: String, _ id: Int64, _ connection: any SQLConnection) throws -> Int64 {
        try connection.first(SQLText(ofTest: "SELECT updated_at FROM \(table) WHERE id = ?"), [.integer(id)]) {
            $0.integer(0)
        } ?? 0
    }

    @Test(
        "WIRE-9: each write of a device has a later time, even when the clock goes back",
        arguments: Engine.allCases)
    func devices(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let stamps = try await store.write { connection -> [Int64] in
            let id = try connection.makeDevices(1, app: 1)[0]
            var stamps = [try Self.stamp("devices", id, connection)]
            for moment in [seconds(10), seconds(10), seconds(5)] {
                guard var device = try connection.devices.find(id: id) else { return [] }
                device.pushToken = try PushToken("t\(stamps.count)", provider: .apns, environment: .production)
                device.updatedAt = moment
                try connection.devices.save(device)
                stamps.append(try Self.stamp("devices", id, connection))
            }
            try connection.optOuts.record([
                TokenOptOut(device: id, token: "t3", optOut: OptOut(reason: .tokenInvalid, at: seconds(7)))
            ])
            stamps.append(try Self.stamp("devices", id, connection))
            try connection.optOuts.lift(OptOutLifting(.tokenInvalid, of: .apns), of: [id], now: seconds(8))
            return stamps + [try Self.stamp("devices", id, connection)]
        }
        let later: [Int64] = [0, 10_000, 10_001, 10_002, 10_003, 10_004]
        #expect(stamps.map { $0 - storeEpoch.milliseconds } == later)
    }

    @Test(
        "WIRE-9, ID-8: each write of a contact, its merge or its tags has a later time",
        arguments: Engine.allCases)
    func contacts(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (first, second) = try await store.write { connection -> ([Int64], [Int64]) in
            try connection.makeContacts(2)
            var (first, second): ([Int64], [Int64]) = ([], [])
            func note() throws {
                first.append(try Self.stamp("contacts", 1, connection))
                second.append(try Self.stamp("contacts", 2, connection))
            }
            try note()
            guard let contact = try connection.contacts.find(id: 1) else { return (first, second) }
            for moment in [storeEpoch, seconds(-5)] {
                try connection.contacts.save(contact, now: moment)
                try note()
            }
            try connection.contactTags.move(of: 1, from: 1, to: 2, now: storeEpoch)
            try note()
            try connection.contactTags.replace(of: 1, on: 1, with: [try Tag("sports")], now: storeEpoch)
            try connection.contactTags.move(of: 1, from: 1, to: 2, now: storeEpoch)
            try note()
            try connection.contacts.redirect(1, to: 2, now: storeEpoch)
            try note()
            return (first, second)
        }
        let start = storeEpoch.milliseconds
        #expect(first.map { $0 - start } == [0, 1, 2, 2, 3, 4])
        #expect(second.map { $0 - start } == [0, 0, 0, 0, 1, 1])
    }
}
