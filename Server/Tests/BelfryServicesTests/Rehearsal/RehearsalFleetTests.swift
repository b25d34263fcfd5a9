import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

/// What a rehearsal foretells of very many devices, beside what became of them.
struct RehearsalFleetTests {
    /// The zones of a fifth of the devices each.
    private static let zones: SQLText = """
        CASE id % 5 WHEN 0 THEN 'Europe/Paris' WHEN 1 THEN 'America/New_York' WHEN 2 THEN 'Asia/Kathmandu'
            WHEN 3 THEN 'Pacific/Kiritimati' ELSE 'America/Los_Angeles' END
        """

    @Test(
        "CON-12, CON-13, LED-4: in a fleet of several zones, with quiet hours and a cap, all ends as it was rehearsed",
        .timeLimit(.minutes(30)), arguments: [QuietHours.Consequence.delay, .suppress])
    func fleet(_ then: QuietHours.Consequence) async throws {
        let count = Endurance.times(100_000, brief: 1_000)
        let world = try await ServiceWorld()
        try await world.makeFleet(count)
        _ = try await world.database.write { try $0.execute("UPDATE devices SET time_zone = \(Self.zones)") }
        let night = QuietHours(
            from: try #require(TimeOfDay("21:00")), to: try #require(TimeOfDay("09:00")), then: .suppress
        )
        // Who is awake gets it, and is at their limit for a day.
        _ = try await world.launch(schedule: CampaignSchedule(quietHours: night))
        try await world.sendToTheEnd()
        world.clock.advance(by: 3_600)
        let schedule = CampaignSchedule(
            at: world.clock.now.addingTimeInterval(6 * 3_600),
            quietHours: QuietHours(from: night.from, to: night.to, then: then),
            frequencyCap: FrequencyCap(count: 1, within: try ISODuration("P1D"))
        )
        let id = try await world.draft(ServiceWorld.draft(schedule: schedule))
        let rehearsal = try await world.rehearse(id)
        #expect(rehearsal.status == .done && rehearsal.audience == count)
        let words = rehearsal.words
        #expect(words.values.reduce(0, +) == count)
        #expect(words["accepted"] ?? 0 > 0 && words["suppressed frequencyCap"] ?? 0 > 0, "\(words)")
        #expect((words["suppressed quietHours"] ?? 0 > 0) == (then == .suppress), "\(words)")
        _ = try await world.campaigns.life.launch(id, app: world.app)
        try await world.sendToTheEnd()
        let comparison = try await world.rehearsals.comparison(rehearsal.id, of: id, app: world.app)
        #expect(comparison.different == 0 && comparison.equal == count && comparison.isFinal)
        #expect(comparison.lines.allSatisfy { $0.rehearsed == $0.came }, "\(comparison.lines)")
    }
}
