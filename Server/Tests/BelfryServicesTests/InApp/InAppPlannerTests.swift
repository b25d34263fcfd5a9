import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct InAppPlannerTests {
    private static let end = ServiceWorld.epoch.addingTimeInterval(3_600)

    @Test(
        "LED-1: an audience of several slices is in the ledger once", arguments: [0, 1, 999, 1_000, 1_001, 2_500])
    func slices(size: Int) async throws {
        let world = try await ServiceWorld()
        if size > 0 { try await world.makeFleet(size) }
        let id = try await world.publish()
        await world.silentPushSender().runUntilIdle()
        let counts = try await world.counts(id)
        #expect(counts.audience == size && counts.pending == size)
        #expect(world.transport.requests.count == size)
        #expect(try await world.campaign(id).status == .active)
        #expect(try await world.database.read { try $0.campaigns.find(id) }?.isPlanned == true)
    }

    @Test("CAMP-2: a campaign at its end is completed, and devices without a download end as expired")
    func ends() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1_200)
        let id = try await world.publish(endsAt: Self.end)
        let sender = world.silentPushSender()
        await sender.runUntilIdle()
        try await world.download(id, ServiceWorld.client(7))
        let version = try await world.clockVersion
        world.clock.advance(to: Self.end.addingTimeInterval(-0.001))
        await sender.runUntilIdle()
        #expect(try await world.campaign(id).status == .active)
        world.clock.advance(to: Self.end)
        await sender.runUntilIdle()
        let campaign = try await world.campaign(id)
        #expect(campaign.status == .completed && campaign.endedAt == Self.end)
        let counts = try await world.counts(id)
        #expect(counts.accepted == 1 && counts.suppressed == 1_199 && counts.total == counts.audience)
        #expect(try await world.delivery(id, ServiceWorld.client(1))?.reason == .expired)
        // Devices that ask have something new to hear.
        #expect(try await world.clockVersion > version)
    }

    @Test("CAMP-2: a paused campaign ends as well, and a running worker completes it in time")
    func pausedEnds() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let id = try await world.publish(endsAt: Self.end)
        let sender = world.silentPushSender()
        await sender.runUntilIdle()
        _ = try await world.campaigns.life.pause(id, app: world.app)
        world.clock.advance(to: Self.end)
        await sender.runUntilIdle()
        #expect(try await world.campaign(id).status == .completed)
        #expect(try await world.counts(id).suppressed == 2)
    }

    @Test("LED-1, IAM-10: after a cancel or deletion, rows without a download are cancelled", arguments: [true, false])
    func cancelled(deletes: Bool) async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1_200)
        let id = try await world.publish()
        let sender = world.silentPushSender()
        await sender.runUntilIdle()
        try await world.download(id, ServiceWorld.client(7))
        let requests = world.transport.requests.count
        if deletes {
            try await world.campaigns.life.delete(id, app: world.app)
        } else {
            _ = try await world.campaigns.life.cancel(id, app: world.app)
        }
        world.clock.advance(by: 3_600)
        await sender.runUntilIdle()
        let counts = try await world.counts(id)
        #expect(counts.accepted == 1 && counts.cancelled == 1_199 && counts.total == counts.audience)
        #expect(try await world.delivery(id, ServiceWorld.client(1))?.reason == .campaignCancelled)
        // The copies on devices continue, so there is nothing to tell.
        #expect(world.transport.requests.count == requests)
        #expect(try await world.database.read { try $0.campaigns.find(id) }?.closedTo == nil)
    }

    @Test("LED-1: cancelled before its audience was processed, it has all of it in the ledger, and woke nobody")
    func cancelledAtOnce() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1_200)
        let id = try await world.publish()
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        await world.silentPushSender().runUntilIdle()
        let counts = try await world.counts(id)
        #expect(counts.audience == 1_200 && counts.cancelled == 1_200)
        #expect(world.transport.requests.isEmpty)
    }

    @Test("CAMP-2: killed at any point of its processing, a campaign has the same result", arguments: 1...12)
    func killedWalks(write: Int) async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2_100)
        let id = try await world.publish(endsAt: Self.end)
        func walk(_ database: any SQLDatabase) async throws {
            let planner = world.inAppPlanner(database)
            try await planner.completeEnded()
            while try await planner.planNext() {}
            while try await planner.closeNext() {}
        }
        let writes = Countdown(write - 1)
        let mortal = MortalDatabase(world.database, isLastWrite: { _ in !writes.next() })
        try? await walk(mortal)
        world.clock.advance(to: Self.end)
        try? await walk(mortal)
        try await walk(world.database)
        let counts = try await world.counts(id)
        #expect(counts.audience == 2_100 && counts.suppressed == 2_100)
        #expect(try await world.campaign(id).status == .completed)
    }

    @Test("CAMP-5: a scheduled campaign begins at its time, in whichever worker")
    func scheduled() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let id = try await world.publish(schedule: CampaignSchedule(at: ServiceWorld.epoch.addingTimeInterval(600)))
        let sender = world.silentPushSender()
        await sender.runUntilIdle()
        #expect(try await world.campaign(id).status == .scheduled && world.transport.requests.isEmpty)
        world.clock.advance(by: 600)
        await world.dispatcher().runUntilIdle()
        await sender.runUntilIdle()
        #expect(try await world.campaign(id).status == .active)
        #expect(world.transport.requests.count == 2)
        #expect(try await world.clockVersion > 0)
    }

    @Test("CAMP-2: a campaign that cannot be read is quarantined and delays no other")
    func unreadable() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let bad = try await world.publish("Bad", endsAt: Self.end)
        let sender = world.silentPushSender()
        await sender.runUntilIdle()
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE campaigns SET content = 'no JSON' WHERE id = ?", [.integer(bad.number)])
        }
        let good = try await world.publish("Good", endsAt: Self.end)
        world.clock.advance(to: Self.end)
        await sender.runUntilIdle()
        #expect(try await world.counts(good).suppressed == 3)
        let status = try await world.database.read { try $0.campaigns.status(of: bad) }
        #expect(status == .cancelled)
        #expect(try await world.database.read { try $0.figures.counts(of: bad) }.cancelled == 3)
    }

    @Test("EVT-7: records of silent pushes are removed when they have no effect any more")
    func housekeeping() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        _ = try await world.publish()
        let sender = world.silentPushSender()
        await sender.runUntilIdle()
        world.clock.advance(by: 86_399)
        await world.housekeeping.tidy()
        #expect(try await world.rows("silent_pushes") == 3)
        world.clock.advance(by: 2)
        // For a device that still waits for a push, the former state is kept.
        _ = try await world.publish("Second", audience: .deviceIDs([ServiceWorld.client(2).rawValue]))
        while try await world.inAppPlanner().planNext() {}
        await world.housekeeping.tidy()
        #expect(try await world.rows("silent_pushes") == 1)
        await sender.runUntilIdle()
        #expect(world.transport.requests.count == 4 && Set(world.transport.requests.map(\.apnsID)).count == 4)
    }
}

extension ServiceWorld {
    fileprivate var clockVersion: Int64 {
        get async throws {
            let app = app.id
            return try await database.read { try $0.inAppRevisions.find(app: app).version }
        }
    }
}
