import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// FLEET-5: batches on a distributed database. Each has devices of one shard, of which the stand-in has three, and its
/// statements list them.
struct DistributedBatchTests {
    private static func members(_ devices: ClosedRange<Int64>) -> [AudienceMember] {
        devices.map { AudienceMember(device: $0, contact: nil) }
    }

    /// Six devices of the app 1, each with a contact of its own, and a campaign.
    private static func prepare(_ store: TestStore) async throws -> CampaignID {
        try await store.write { connection in
            let app = try connection.makeApp()
            for id in try connection.makeDevices(6, app: app) {
                guard var device = try connection.devices.find(id: id) else { continue }
                device.contact = try connection.contacts.findOrInsert(
                    app: app, key: "key\(id)", known: true, now: storeEpoch
                )
                try connection.devices.save(device)
            }
            return try connection.makeCampaign(app: app)
        }
    }

    /// Puts everyone into the ledger, and claims all batches.
    private static func claimed(_ id: CampaignID, _ connection: any SQLConnection) throws -> [Batch] {
        for part in try connection.batches.cut(members(1...6), at: 1_000) {
            _ = try connection.deliveries.plan(id, app: 1, members: part, now: storeEpoch)
            guard let batch = connection.batches.batch(of: id, part) else { continue }
            try connection.batches.insert(batch, availableAt: storeEpoch)
        }
        return try connection.batches.claim(owner: "a", until: seconds(15), now: storeEpoch, limit: 9).sorted {
            $0.number < $1.number
        }
    }

    private static func states(_ id: CampaignID, _ connection: any SQLConnection) throws -> [DeliveryState?] {
        try (1...6 as ClosedRange<Int64>).map { try connection.deliveries.find(campaign: id, device: $0)?.state }
    }

    @Test("FLEET-5, PUSH-5, LED-1: an audience is cut into batches of one shard each, of so many devices at most")
    func cut() async throws {
        let store = try await CitusStandIn.store()
        let entered = try store.another()
        defer { try? entered.close() }
        let parts = try await entered.database.read { connection in
            try connection.batches.cut(Self.members(1...10), at: 3).map { part in part.map(\.device) }
        }
        #expect(parts == [[1, 4, 7], [2, 5, 8], [3, 6, 9], [10]])
        let (none, atOnce) = try await entered.database.read { connection in
            (try connection.batches.cut([], at: 3), connection.batches.cutAtOnce(3))
        }
        #expect(none == [[]] && atOnce == 96)
        // On one server all are one batch, and a range.
        let (whole, batch) = try await store.read { connection in
            let parts = try connection.batches.cut(Self.members(1...10), at: 10)
            return (parts, try connection.batches.batch(of: campaign(1), parts[0]))
        }
        #expect(whole == [Self.members(1...10)])
        #expect(batch?.devices == 1...10 && batch?.listed == nil)
    }

    @Test(
        """
        FLEET-5, PUSH-5, LED-1, SEC-8: a batch is claimed, read, written and released with the devices of its shard, \
        and those between them stay another batch's
        """
    )
    func life() async throws {
        let store = try await CitusStandIn.store()
        let id = try await Self.prepare(store)
        let log = StatementLog()
        let entered = try Engine.postgres.open(at: store.place, statements: log)
        defer { try? entered.close() }
        let batches = try await entered.database.write { try Self.claimed(id, $0) }
        #expect(batches.map(\.listed) == [[1, 4], [2, 5], [3, 6]])
        #expect(batches.map(\.devices) == [1...4, 2...5, 3...6])
        let kept = try await entered.database.read { try $0.batches.find(campaign: id, number: 2) }
        #expect(kept == batches[1])
        let (read, dues) = try await entered.database.write { connection in
            let read = try connection.recipients.pending(
                of: batches[0], app: 1, values: [.device(.locale), .contactKey], dueBy: storeEpoch
            )
            let updates = [
                DeliveryUpdate(device: 1, state: .accepted, attempts: 1),
                DeliveryUpdate(device: 4, state: .pending, attempts: 1, retryAt: seconds(9)),
            ]
            try connection.deliveries.record(updates, campaign: id, now: seconds(1))
            try connection.deliveries.settlePlacing(of: [4], known: [], campaign: id, hasMessage: true)
            let dues = try batches.map { try connection.deliveries.nextRetry(of: $0).dueAt }
            return (read, dues)
        }
        #expect(read.map(\.device) == [1, 4])
        #expect(read.map(\.values) == [[nil, "key1"], [nil, "key4"]])
        #expect(dues == [seconds(9), Date(milliseconds: 0), Date(milliseconds: 0)])
        let (hastened, quarantined, states) = try await entered.database.write { connection in
            let hastened = try batches.map { try connection.deliveries.hasten($0) }
            try connection.batches.setQuarantined(true, batches[2], now: storeEpoch)
            let quarantined = try (1...6 as ClosedRange<Int64>).map {
                try connection.batches.isQuarantined(device: $0, of: id)
            }
            try connection.deliveries.cancelPending(of: batches[1], reason: .campaignCancelled, now: seconds(2))
            try connection.deliveries.endPending(
                of: id, devices: batches[2].devices, listed: batches[2].listed, as: .rejected,
                reason: .campaignCancelled, now: seconds(2)
            )
            return (hastened, quarantined, try Self.states(id, connection))
        }
        #expect(hastened == [1, 0, 0])
        #expect(quarantined == [false, false, true, false, false, true])
        #expect(states == [.accepted, .cancelled, .rejected, .pending, .cancelled, .rejected])
        let (rows, abandoned, left) = try await entered.database.write { connection in
            let rows = try connection.figures.rows(
                of: id, devices: batches[0].devices, listed: batches[0].listed, RecipientFilter(), limit: 9
            )
            try connection.batches.setQuarantined(false, batches[2], now: storeEpoch)
            let abandoned = try connection.batches.abandoned(now: seconds(15), limit: 9)
            for batch in batches { try connection.batches.release(batch, owner: "a", dueAt: nil) }
            return (rows, abandoned, try connection.batches.find(campaign: id, number: 1))
        }
        #expect(rows.map(\.device) == [1, 4])
        #expect(Set(abandoned.map(\.batch)) == Set(batches) && Set(abandoned.map(\.app)) == [1])
        #expect(left == nil)
        // No range of devices is left, in which other shards have rows.
        let statements = log.statements.filter { $0.contains("deliveries") }
        let others = statements.filter { !$0.contains("ANY (string_to_array(") && !$0.contains("device_id = ?") }
        #expect(!statements.isEmpty && others.isEmpty, "\(others)")
    }

    @Test("FLEET-5, CAMP-5: a batch counts the messages of its own devices, and not of those between them")
    func counts() async throws {
        let store = try await CitusStandIn.store()
        let id = try await Self.prepare(store)
        let entered = try store.another()
        defer { try? entered.close() }
        let (own, all) = try await entered.database.write { connection in
            guard var row = try connection.campaigns.find(id) else {
                throw StoreError.corrupted(table: "campaigns", key: id.description)
            }
            row.campaign.launchedAt = storeEpoch
            try connection.campaigns.save(row)
            let batch = try Self.claimed(id, connection)[0]
            let updates = (1...6 as ClosedRange<Int64>).map {
                DeliveryUpdate(device: $0, state: .accepted, attempts: 1)
            }
            try connection.deliveries.record(updates, campaign: id, now: seconds(1))
            func counts(_ listed: [Int64]?) throws -> Set<Int64> {
                let counts = try connection.frequencyCaps.recentCounts(
                    of: batch.devices, listed: listed, app: 1, since: storeEpoch, except: campaign(99)
                )
                return Set(counts.keys)
            }
            return (try counts(batch.listed), try counts(nil))
        }
        #expect(own == [1, 4] && all == [1, 2, 3, 4])
    }

    @Test("FLEET-5, PUSH-6: the first device with another contact than before is found, whatever shard it is of")
    func moved() async throws {
        let store = try await CitusStandIn.store()
        _ = try await Self.prepare(store)
        let entered = try store.another()
        defer { try? entered.close() }
        try await store.write { connection in
            _ = try connection.execute("UPDATE audience_1 SET contact_id = CASE WHEN device_id >= 5 THEN 77 END")
        }
        let found = try await entered.database.read { connection in
            try [6, 5, 4].map { try connection.deliveries.firstMoved(of: Self.members(1...$0), app: 1) }
        }
        #expect(found == [5, 5, nil])
    }
}
