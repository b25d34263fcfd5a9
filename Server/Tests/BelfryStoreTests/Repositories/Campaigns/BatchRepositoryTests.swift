import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct BatchRepositoryTests {
    private let lease = seconds(15)

    @Test(
        "PUSH-5: many workers that claim at once never get the same batch, and all batches are claimed",
        arguments: Engine.allCases)
    func exclusivity(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let lease = lease
        try await store.write { connection in
            let app = try connection.makeApp()
            try connection.makeBatches(101, of: try connection.makeCampaign(app: app))
            try connection.makeBatches(40, of: try connection.makeCampaign(app: app))
        }
        let claimed = try await withThrowingTaskGroup(of: [Batch].self) { group in
            for worker in 0..<16 {
                group.addTask {
                    var mine: [Batch] = []
                    while true {
                        let batches = try await store.write {
                            try $0.batches.claim(owner: "w\(worker)", until: lease, now: storeEpoch, limit: 3)
                        }
                        if batches.isEmpty { return mine }
                        mine += batches
                    }
                }
            }
            return try await group.reduce(into: [Batch]()) { $0 += $1 }
        }
        #expect(claimed.count == 141)
        #expect(Set(claimed).count == 141)
    }

    @Test(
        "PUSH-5: a lease ends by itself, to the millisecond, and another worker takes over", arguments: Engine.allCases)
    func takeover(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let id = try await store.write { connection in
            let id = try connection.makeCampaign(app: try connection.makeApp())
            try connection.makeBatches(2, of: id)
            return id
        }
        let dead = try await claim(store, "dead", at: 0, until: 15, limit: 1)
        #expect(dead.map(\.number) == [1])
        #expect(try await claim(store, "live", at: 14.999).map(\.number) == [11])
        #expect(try await claim(store, "live", at: 15).isEmpty)
        let takenOver = try await takeOver(store, "live", at: 15, until: 30)
        #expect(takenOver == dead)
        // The dead one comes to life again: what it held is another's.
        let late = try await store.write { connection in
            let kept = try connection.batches.renew(dead, owner: "dead", until: seconds(99))
            try connection.batches.release(dead[0], owner: "dead", dueAt: nil)
            return (kept, try connection.batchCount(of: id))
        }
        #expect(late.0.isEmpty)
        #expect(late.1 == 2)
    }

    @Test(
        "PUSH-5: a worker never gets its own batch again, even when its lease has ended",
        arguments: Engine.allCases)
    func ownBatches(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        try await store.write { connection in
            try connection.makeBatches(3, of: try connection.makeCampaign(app: try connection.makeApp()))
        }
        let held = try await claim(store, "a", at: 0, until: 15, limit: 2)
        let (again, due, mine, others) = try await store.write { connection in
            (
                try connection.batches.claim(
                    owner: "a", until: seconds(99), now: seconds(20), limit: 9, except: held
                ),
                try connection.batches.nextDue(except: held), try connection.batches.isStillLeased(held[0], owner: "a"),
                try connection.batches.isStillLeased(held[0], owner: "b")
            )
        }
        #expect(again.map(\.number) == [21])
        #expect(due == seconds(99) && mine && !others)
        #expect(try await takeOver(store, "b", at: 20).count == 2)
        let isStillMine = try await store.read { try $0.batches.isStillLeased(held[0], owner: "a") }
        #expect(!isStillMine)
    }

    @Test("PUSH-5: of each of several batches it is told whether the worker still has it", arguments: Engine.allCases)
    func leases(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let id = try await store.write { connection in
            let id = try connection.makeCampaign(app: try connection.makeApp())
            try connection.makeBatches(3, of: id)
            return id
        }
        let held = try await claim(store, "a", at: 0, until: 15, limit: 2)
        let leases = [(held[0], "a"), (held[0], "b"), (held[1], "a")].map { batch, owner in
            BatchRepository.Lease(batch: batch, owner: owner, isPlacing: false)
        }
        #expect(try await store.read { try $0.batches.areStillLeased(leases) } == [true, false, true])
        let paused = try await store.write { connection in
            try connection.campaigns.pauseSending(id, because: "A test.")
            return try connection.batches.areStillLeased(leases)
        }
        #expect(paused == [false, false, false])
    }

    @Test("PUSH-5: a renewed lease continues", arguments: Engine.allCases)
    func renewal(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        try await store.write { connection in
            try connection.makeBatches(2, of: try connection.makeCampaign(app: try connection.makeApp()))
        }
        let held = try await claim(store, "a", at: 0, until: 15)
        let kept = try await store.write { try $0.batches.renew(held, owner: "a", until: seconds(25)) }
        #expect(kept == Set(held))
        #expect(try await takeOver(store, "b", at: 20).isEmpty)
        #expect(try await takeOver(store, "b", at: 25).count == 2)
    }

    @Test(
        "PUSH-5: a returned batch is due with its first retry, or removed when it is done", arguments: Engine.allCases
    )
    func release(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let id = try await store.write { connection in
            let id = try connection.makeCampaign(app: try connection.makeApp())
            try connection.makeBatches(2, of: id)
            return id
        }
        let held = try await claim(store, "a", at: 0)
        try await store.write { connection in
            try connection.batches.release(held[0], owner: "a", dueAt: seconds(3))
            try connection.batches.release(held[1], owner: "a", dueAt: nil)
        }
        #expect(try await store.read { try $0.batchCount(of: id) } == 1)
        #expect(try await store.read { try $0.batches.nextDue() } == seconds(3))
        #expect(try await claim(store, "b", at: 2.999).isEmpty)
        #expect(try await claim(store, "b", at: 3) == [held[0]])
    }

    @Test(
        "CAMP-2: only batches of a sending campaign are claimed, or due", arguments: Engine.allCases,
        CampaignStatus.allCases)
    func statuses(_ engine: Engine, _ status: CampaignStatus) async throws {
        let store = try TestStore(engine, isRecycled: true)
        try await store.write { connection in
            try connection.makeBatches(1, of: try connection.makeCampaign(status, app: try connection.makeApp()))
        }
        #expect(try await store.read { try $0.batches.nextDue() } == (status == .sending ? storeEpoch : nil))
        #expect(try await claim(store, "a", at: 0).count == (status == .sending ? 1 : 0))
    }

    @Test(
        "PUSH-5: the next moment of interest is the first at which some batch can be claimed",
        arguments: Engine.allCases)
    func nextDue(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let id = try await store.write { connection in
            let id = try connection.makeCampaign(app: try connection.makeApp())
            try connection.makeBatches(1, of: id, dueAt: seconds(7))
            return id
        }
        #expect(try await store.read { try $0.batches.nextDue() } == seconds(7))
        _ = try await claim(store, "a", at: 7, until: 22)
        #expect(try await store.read { try $0.batches.nextDue() } == seconds(22))
        try await store.write { connection in
            let other = Batch(campaign: id, number: 50, devices: 50...59)
            try connection.batches.insert(other, availableAt: seconds(9))
        }
        #expect(try await store.read { try $0.batches.nextDue() } == seconds(9))
    }

    @Test("REG-33: retries are due at once when the cause is fixed", arguments: Engine.allCases)
    func hasten(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        try await store.write { connection in
            let id = try connection.makeCampaign(app: try connection.makeApp())
            try connection.makeBatches(1, of: id, dueAt: seconds(3_600))
            try connection.batches.hasten(id, now: seconds(1))
        }
        #expect(try await store.read { try $0.batches.nextDue() } == seconds(1))
    }

    @Test(
        "REG-33, SEC-8: a batch that is in work or set aside when its retries are hastened is still to be hastened later",
        arguments: Engine.allCases)
    func hastenInWork(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let id = try await store.write { connection in
            let id = try connection.makeCampaign(app: try connection.makeApp())
            try connection.makeBatches(2, of: id)
            return id
        }
        let held = try await claim(store, "a", at: 0)
        let (before, ends, after) = try await store.write { connection -> ([Bool], [Bool], [Bool]) in
            try connection.batches.hasten(id, now: seconds(1))
            try connection.batches.release(held[0], owner: "a", dueAt: seconds(3_600))
            try connection.batches.setQuarantined(true, held[1], now: seconds(2))
            try connection.batches.setQuarantined(false, held[1], now: seconds(2))
            let before = try held.map { try connection.batches.isHastened($0) }
            let ends = try [held[0], held[1], held[0]].map { try connection.batches.endHastening(of: $0) }
            return (before, ends, try held.map { try connection.batches.isHastened($0) })
        }
        #expect(before == [true, true] && after == [false, false])
        // Whoever comes second hastens nothing that was tried again meanwhile.
        #expect(ends == [true, true, false])
        #expect(try await claim(store, "b", at: 1) == [held[0]])
    }

    @Test(
        "REL-6, SEC-8: after a clock was set back all batches are made due page by page, whatever campaign they are of",
        arguments: Engine.allCases)
    func hastenedPages(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let counts = try await store.write { connection -> [Int64] in
            let app = try connection.makeApp()
            for count in [2, 1] {
                let id = try connection.makeCampaign(app: app)
                try connection.makeBatches(count, of: id, dueAt: seconds(3_600))
            }
            var counts: [Int64] = []
            var place: BatchRepository.Place?
            repeat {
                place = try connection.batches.hastenPage(after: place, now: seconds(1), limit: 2)
                let marked = try connection.first("SELECT count(*) FROM batches WHERE available_at < 0", []) {
                    $0.integer(0)
                }
                counts.append(marked ?? -1)
            } while place != nil
            return counts
        }
        #expect(counts == [2, 3, 3])
        #expect(try await store.read { try $0.batches.nextDue() } == seconds(1))
        #expect(try await claim(store, "a", at: 1).count == 3)
    }

    @Test("CAMP-2: of a cancelled campaign, batches that are not being sent are removed", arguments: Engine.allCases)
    func cancelled(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let (free, later) = try await store.write { connection in
            let id = try connection.makeCampaign(app: try connection.makeApp())
            try connection.makeBatches(3, of: id)
            _ = try connection.batches.claim(owner: "a", until: seconds(15), now: storeEpoch, limit: 1)
            guard var row = try connection.campaigns.find(id) else { return ([Batch](), [Batch]()) }
            row.campaign.status = .cancelled
            try connection.campaigns.save(row)
            return (
                try connection.batches.cancelledAndFree(now: seconds(1), limit: 9),
                try connection.batches.cancelledAndFree(now: seconds(15), limit: 9)
            )
        }
        #expect(free.map(\.number) == [11, 21])
        #expect(later.map(\.number) == [1, 11, 21])
    }

    @Test(
        "PUSH-5: at the start of a store with one process, leases of a dead one are not waited for",
        arguments: Engine.allCases)
    func endLeases(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        try await store.write { connection in
            try connection.makeBatches(3, of: try connection.makeCampaign(app: try connection.makeApp()))
        }
        _ = try await claim(store, "dead", at: 0)
        try await store.write { try $0.batches.endLeases() }
        #expect(try await takeOver(store, "live", at: 0).count == 3)
    }

    @Test(
        "SEC-8: work of a dead worker cannot be claimed, but is known, the least tried first",
        arguments: Engine.allCases)
    func abandoned(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let id = try await store.write { connection in
            let id = try connection.makeCampaign(app: try connection.makeApp())
            try connection.makeBatches(4, of: id)
            return id
        }
        let held = try await claim(store, "dead", at: 0, until: 15, limit: 3)
        try await store.write { connection in
            try connection.workAttempts.save(
                WorkAttempt(subject: .batch(held[0]), attempts: 2, leaseUntil: storeEpoch, since: storeEpoch)
            )
            try connection.batches.setQuarantined(true, held[1], now: storeEpoch)
        }
        #expect(try await claim(store, "live", at: 15).map(\.number) == [31])
        let found = try await store.read { connection in
            try connection.batches.abandoned(now: seconds(15), limit: 9).map(\.batch)
        }
        #expect(found == [held[2], held[0]])
        let due = try await store.read { connection in
            [
                try connection.batches.nextDue(except: [found[0]]),
                try connection.batches.nextDue(includesLeased: false),
            ]
        }
        #expect(due == [seconds(15), nil])
        #expect(try await store.read { try $0.batches.quarantined(of: id) } == 1)
        let quarantined = try await store.read { connection in
            try [15, 5].map { try connection.batches.isQuarantined(device: $0, of: id) }
        }
        #expect(quarantined == [true, false])
        // Taken up again, it is worked on alone.
        try await store.write { try $0.batches.setQuarantined(false, held[1], now: seconds(16)) }
        #expect(try await claim(store, "b", at: 16).isEmpty)
        #expect(try await takeOver(store, "b", at: 16).count == 3)
    }

    /// Work that was in progress when its worker died.
    private func takeOver(
        _ store: TestStore, _ owner: String, at now: TimeInterval, until lease: TimeInterval = 1_000
    ) async throws -> [Batch] {
        try await store.write { connection in
            let found = try connection.batches.abandoned(now: seconds(now), limit: 9).map(\.batch)
            for batch in found { try connection.batches.lease(batch, owner: owner, until: seconds(lease)) }
            return found
        }.sorted { $0.number < $1.number }
    }

    private func claim(
        _ store: TestStore, _ owner: String, at now: TimeInterval, until lease: TimeInterval = 1_000, limit: Int = 9
    ) async throws -> [Batch] {
        try await store.write {
            try $0.batches.claim(owner: owner, until: seconds(lease), now: seconds(now), limit: limit)
        }.sorted { $0.number < $1.number }
    }
}
