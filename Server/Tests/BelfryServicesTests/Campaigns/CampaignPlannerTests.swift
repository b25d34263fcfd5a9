import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct CampaignPlannerTests {
    @Test(
        "LED-1: an audience of several batches is in the ledger once", arguments: [0, 1, 999, 1_000, 1_001, 2_500])
    func batches(size: Int) async throws {
        let world = try await ServiceWorld(isOneShard: true)
        if size > 0 { try await world.makeFleet(size) }
        let id = try await world.launch()
        var steps = 0
        while try await world.planner.planNext() { steps += 1 }
        // On a cluster a step cuts up to 32 batches.
        #expect(steps == (TestPostgres.isDistributed ? 1 : max((size + 999) / 1_000, 1)))
        let counts = try await world.counts(id)
        #expect(counts.audience == size && counts.pending == size)
        #expect(try await world.database.read { try $0.batchCount(of: id) } == (size + 999) / 1_000)
        #expect(try await world.campaign(id).status == (size == 0 ? .completed : .sending))
    }

    @Test("LED-1: a device that comes after the launch is not in the audience")
    func laterDevices() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let id = try await world.launch()
        try await world.makeFleet(6)
        while try await world.planner.planNext() {}
        #expect(try await world.counts(id).audience == 3)
    }

    @Test("CAMP-2: a campaign that cannot be read is quarantined and delays no other", arguments: [false, true])
    func unreadable(isPlanned: Bool) async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let bad = try await world.launch()
        if isPlanned { _ = try await world.planner.planNext() }
        try await world.database.write { connection in
            _ = try connection.execute(
                "UPDATE campaigns SET content = 'no JSON' WHERE id = ?", [.integer(bad.number)]
            )
        }
        let good = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.campaign(good).status == .completed)
        #expect(try await world.counts(good).accepted == 3)
        let end = try await world.database.read { connection in
            try connection.first(
                "SELECT status, status_reason FROM campaigns WHERE id = ?", [.integer(bad.number)]
            ) { [$0.text(0), $0.text(1)] }
        }
        #expect(end?.first == "cancelled" && end?.last?.contains("backup") == true)
        #expect(world.transport.requests.count == 3)
        #expect(try await world.database.read { try $0.figures.counts(of: bad).pending } == 0)
    }

    @Test("CAMP-3: an audience is that of its app")
    func otherApps() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let other = try await world.apps.create(code: "other", name: "Other").app
        let client = try ServiceWorld.client(9)
        try await world.database.write { connection in
            _ = try connection.devices.findOrInsert(app: other.id, client: client, now: ServiceWorld.epoch)
        }
        let id = try await world.launch()
        while try await world.planner.planNext() {}
        #expect(try await world.counts(id).audience == 3)
    }

    @Test("CAMP-2: planning continues where it was, in any process, and planners may work in parallel")
    func severalPlanners() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(3_200)
        let ids = [try await world.launch(), try await world.launch()]
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let planner = world.planner
                    while (try? await planner.planNext()) == true {}
                }
            }
        }
        for id in ids {
            #expect(try await world.counts(id).audience == 3_200)
            #expect(try await world.database.read { try $0.batchCount(of: id) } == 4)
        }
    }
}
