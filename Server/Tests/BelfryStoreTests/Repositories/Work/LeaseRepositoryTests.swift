import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct LeaseRepositoryTests {
    private static let far = seconds(86_400)

    /// One lease of each kind that ends on the next day, and one of each that ends soon.
    private static func lend(_ connection: any SQLConnection) throws {
        let id = try connection.makeCampaign(app: 1)
        try connection.makeBatches(2, of: id)
        let devices = try connection.makeDevices(2, app: 1)
        try connection.silentPushes.insert(devices, app: 1)
        for (index, (owner, lease)) in [("far", far), ("near", seconds(15))].enumerated() {
            _ = try connection.batches.claim(owner: owner, until: lease, now: storeEpoch, limit: 1)
            let state = SilentPushState(waiting: .inApp, dueAt: lease)
            try connection.silentPushes.save([SilentPushRow(device: devices[index], state: state)], owner: owner)
            _ = try connection.rehearsals.insert(campaign: id, app: 1, version: "draft", now: storeEpoch)
            _ = try connection.rehearsals.claim(owner: owner, until: lease, now: storeEpoch)
            try connection.registrationGroups.begin(1...9, owner: owner, until: lease)
        }
    }

    private static func found(in store: TestStore) async throws -> [StoredLease] {
        try await store.read { try $0.leases.ending(after: seconds(60), limit: 9) }
    }

    @Test(
        "REL-6, PUSH-5: leases of every kind that end too late are found, and end as if their time had come",
        arguments: Engine.allCases)
    func ended(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { try Self.lend($0) }
        let found = try await Self.found(in: store)
        try #require(found.map(\.work) == LeasedWork.allCases)
        #expect(Set(found.map(\.owner)) == ["far"] && Set(found.map(\.until)) == [Self.far])
        let count = try await store.write { try $0.leases.end(found) }
        #expect(count == 4)
        #expect(try await Self.found(in: store).isEmpty)
        let (batches, pushes, rehearsal, areGroups) = try await store.write { connection in
            (
                try connection.batches.abandoned(now: storeEpoch, limit: 9).map(\.batch.number),
                try connection.silentPushes.abandoned(now: storeEpoch, limit: 9).map(\.row.device),
                try connection.rehearsals.claim(owner: "next", until: seconds(15), now: storeEpoch),
                try connection.registrationGroups.areAbandoned(by: storeEpoch, except: "next")
            )
        }
        // It is known who held them, so they are worked on alone.
        #expect(batches == [found[0].part] && pushes == [found[1].number])
        #expect(rehearsal?.id == found[2].number && areGroups)
    }

    @Test(
        "REL-6, PUSH-5: what was renewed or given back since it was found is not ended", arguments: Engine.allCases)
    func changed(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { try Self.lend($0) }
        let found = try await Self.found(in: store)
        let later = Self.far.addingTimeInterval(5)
        let ended = try await store.write { connection in
            for lease in found {
                switch lease.work {
                case .batch:
                    let batch = Batch(
                        campaign: try campaign(lease.number), number: lease.part,
                        devices: lease.part...(lease.part + 9)
                    )
                    _ = try connection.batches.renew([batch], owner: "far", until: later)
                case .silentPush: try connection.silentPushes.renew([lease.number], owner: "far", until: later)
                case .rehearsal: try connection.rehearsals.giveBack(lease.number, owner: "far")
                case .registrationGroup: try connection.registrationGroups.end("far")
                }
            }
            return try connection.leases.end(found)
        }
        #expect(ended == 0)
        let left = try await Self.found(in: store)
        #expect(left.map(\.work) == [.batch, .silentPush] && left.map(\.until) == [later, later])
    }

    @Test("REL-6, SEC-8: of many leases a bounded number is looked at, those first that end first")
    func bounded() async throws {
        let store = try await TestStore.withApps(.ofThisRun)
        let found = try await store.write { connection in
            for number in 1...5 {
                try connection.registrationGroups.begin(
                    1...9, owner: "owner \(number)", until: Self.far.addingTimeInterval(Double(-number))
                )
            }
            return try connection.leases.ending(after: seconds(60), limit: 2).map(\.owner)
        }
        #expect(found == ["owner 5", "owner 4"])
    }
}
