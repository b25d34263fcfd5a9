import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// Explanations of a message whose time, or whose campaign, has not come yet.
struct WaitingExplanationTests {
    /// 21 hours after ``ServiceWorld/epoch``, in the app's zone.
    private static let clock = "2026-11-22T09:00:00"
    private static let due = ServiceWorld.epoch.addingTimeInterval(21 * 3_600)
    private static let note = "\(clock) in UTC, the app's zone, because the device has none"

    private static func sentence(_ world: ServiceWorld, _ id: CampaignID) async throws -> String {
        let device = try ServiceWorld.client(1).rawValue
        let explanation = try await world.explainer.explain(id, device: device, app: world.app)
        let messages = try await world.explainer.messages(of: device, app: world.app, before: nil, limit: 9)
        // The device's history tells the same.
        if let listed = messages.first(where: { $0.campaign.id == id }) { #expect(listed.explanation == explanation) }
        return explanation.sentence
    }

    /// A campaign that is in the ledger and waits for its recipients' own time.
    private static func waiting(rate: Int? = nil) async throws -> (world: ServiceWorld, campaign: CampaignID) {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        let localAt = try #require(LocalDateTime(clock))
        let id = try await world.launch(schedule: CampaignSchedule(localAt: localAt, ratePerSecond: rate))
        try await world.send(until: due.addingTimeInterval(-3_600))
        #expect(try await world.counts(id).pending == 1)
        return (world, id)
    }

    @Test(
        "LED-2: after its time has come, a message waits for its turn, and the rate limit is shown",
        arguments: [(nil, ""), (1, " (at most 1 message a second)"), (500, " (at most 500 messages a second)")]
            as [(Int?, String)]
    )
    func turn(rate: Int?, limit: String) async throws {
        let (world, id) = try await Self.waiting(rate: rate)
        world.clock.advance(to: Self.due.addingTimeInterval(-0.001))
        #expect(try await Self.sentence(world, id) == "It is waiting until \(Self.note).")
        // No worker has come by yet.
        world.clock.advance(to: Self.due)
        #expect(try await Self.sentence(world, id) == "It was due at \(Self.note) and is in the queue\(limit).")
        try await world.sendToTheEnd()
        let sent = "The push service accepted it; the device has not reported it."
        #expect(try await Self.sentence(world, id) == sent)
    }

    @Test("LED-2: pending deliveries of a paused or cancelled campaign wait for nothing else")
    func stopped() async throws {
        let (world, id) = try await Self.waiting()
        _ = try await world.campaigns.life.pause(id, app: world.app)
        let paused = "It is waiting because the campaign is paused. Paused by an operator."
        #expect(try await Self.sentence(world, id) == paused)
        world.clock.advance(to: Self.due)
        #expect(try await Self.sentence(world, id) == paused)
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        #expect(
            try await Self.sentence(world, id) == "The campaign was cancelled; this message will not be sent."
        )
        try await world.sendToTheEnd()
        #expect(
            try await Self.sentence(world, id) == "The campaign was cancelled before it was sent to this device."
        )
    }

    @Test("LED-2: a campaign that is paused or cancelled before its time says so")
    func beforeItsTime() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        let id = try await world.launch(schedule: CampaignSchedule(at: Self.due))
        let begins = "The campaign starts at 2026-11-22T09:00:00.000Z. Its audience is selected then."
        #expect(try await Self.sentence(world, id) == begins)
        // Programs read it so; people are told by other clocks.
        let people = world.explainer.telling { $0 == Self.due ? "nine" : "some other time" }
        let explained = try await people.explain(id, device: ServiceWorld.client(1).rawValue, app: world.app)
        #expect(explained.sentence == "The campaign starts at nine. Its audience is selected then.")
        _ = try await world.campaigns.life.pause(id, app: world.app)
        let paused = "The campaign was paused before it started. Paused by an operator."
        #expect(try await Self.sentence(world, id) == paused)
        world.clock.advance(to: Self.due)
        #expect(try await Self.sentence(world, id) == paused)
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        let cancelled = "The campaign's audience was never selected: Cancelled by an operator."
        #expect(try await Self.sentence(world, id) == cancelled)
    }

    @Test(
        "LED-2: if a campaign's planning is quarantined, the rest of the audience gets the reason",
        .enabled(if: !TestPostgres.isDistributed, "On a cluster one step plans 32 batches, and nobody is left.")
    )
    func failCorrupt() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(CampaignPlanner.batchSize + 1)
        let id = try await world.launch()
        _ = try await world.planner.planNext()
        let now = world.clock.now
        try await world.database.write { connection in
            try connection.campaigns.failCorrupt(id.number, because: "It cannot be read.", now: now)
        }
        let last = try ServiceWorld.client(CampaignPlanner.batchSize + 1).rawValue
        let explanation = try await world.explainer.explain(id, device: last, app: world.app)
        #expect(explanation.state == "notInAudience")
        #expect(explanation.sentence == "The campaign's audience was never selected: It cannot be read.")
        #expect(
            try await Self.sentence(world, id) == "The campaign was cancelled; this message will not be sent."
        )
    }
}
