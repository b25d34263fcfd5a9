import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// What a rehearsal makes of the other campaigns that count against a cap.
struct RehearsedOthersTests {
    private static func cap(_ count: Int, _ within: String = "P1D") throws -> FrequencyCap {
        FrequencyCap(count: count, within: try ISODuration(within))
    }

    private static func draft(
        in world: ServiceWorld, after seconds: Double?, _ cap: FrequencyCap, audience: Condition = .everyone
    ) async throws -> CampaignID {
        let date = seconds.map { world.clock.now.addingTimeInterval($0) }
        let schedule = CampaignSchedule(at: date, frequencyCap: cap)
        return try await world.draft(ServiceWorld.draft(audience: audience, schedule: schedule))
    }

    @Test("CON-12, CAMP-5: a planned campaign is held back by its own cap, and then counts against no other")
    func ownCap() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let now = world.clock.now
        _ = try await world.launch(schedule: CampaignSchedule(at: now.addingTimeInterval(600)))
        _ = try await world.launch(
            schedule: CampaignSchedule(at: now.addingTimeInterval(900), frequencyCap: try Self.cap(1))
        )
        let id = try await Self.draft(in: world, after: 1_200, try Self.cap(2))
        let rehearsal = try await world.rehearse(id)
        #expect(rehearsal.words == ["accepted": 3])
        #expect(rehearsal.figures?.warnings.isEmpty == true)
        _ = try await world.campaigns.life.launch(id, app: world.app)
        try await world.sendToTheEnd()
        let comparison = try await world.rehearsals.comparison(rehearsal.id, of: id, app: world.app)
        #expect(comparison.different == 0 && comparison.equal == 3)
    }

    @Test("CON-12, CAMP-5: the cap of a planned campaign has its own period, longer than that of the rehearsed one")
    func longerPeriod() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        _ = try await world.launch()
        try await world.sendToTheEnd()
        world.clock.advance(by: 7_200)
        let soon = world.clock.now.addingTimeInterval(600)
        _ = try await world.launch(schedule: CampaignSchedule(at: soon, frequencyCap: try Self.cap(1)))
        let id = try await Self.draft(in: world, after: 1_200, try Self.cap(1, "PT1H"))
        #expect(try await world.rehearse(id).words == ["accepted": 2])
    }

    @Test("CON-12: a planned campaign does not count where its push cannot be made, or never goes")
    func unmakeable() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        let soon = CampaignSchedule(at: world.clock.now.addingTimeInterval(600))
        let push = PushContent(title: "In {{city}}", body: "B")
        _ = try await world.launch(push: push, schedule: soon)
        let id = try await Self.draft(in: world, after: 1_200, try Self.cap(1))
        #expect(try await world.rehearse(id).words == ["accepted": 2])
    }

    @Test("CON-12, CAMP-5: a planned campaign with a rate counts when its push would leave, whoever else is rehearsed")
    func rated() async throws {
        let world = try await ServiceWorld()
        let clients = try await world.makeFleet(6)
        let soon = world.clock.now.addingTimeInterval(600)
        _ = try await world.launch(schedule: CampaignSchedule(at: soon, ratePerSecond: 1))
        let all = try await Self.draft(in: world, after: 602, try Self.cap(1))
        #expect(try await world.rehearse(all).words == ["accepted": 3, "suppressed frequencyCap": 3])
        // The others have their turns first, though they are not in this audience.
        let last = Condition.deviceIDs(clients.suffix(3).map(\.rawValue))
        let some = try await Self.draft(in: world, after: 602, try Self.cap(1), audience: last)
        #expect(try await world.rehearse(some).words == ["accepted": 3])
    }

    @Test("CON-12, CAMP-5: what a campaign under way has left counts when its rate lets it leave")
    func underWay() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(4)
        _ = try await world.launch(schedule: CampaignSchedule(ratePerSecond: 1))
        try await world.send(until: world.clock.now)
        let now = try await Self.draft(in: world, after: nil, try Self.cap(1))
        #expect(try await world.rehearse(now).words == ["accepted": 3, "suppressed frequencyCap": 1])
        let later = try await Self.draft(in: world, after: 60, try Self.cap(1))
        #expect(try await world.rehearse(later).words == ["suppressed frequencyCap": 4])
    }

    @Test("CON-13, CAMP-5: what waits for a retry counts since its first attempt, and once it has left, as of then")
    func retried() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answer(
            "token1", .rejected(status: 503, reason: "ServiceUnavailable", retryAfter: 100), .accepted
        )
        _ = try await world.launch(schedule: CampaignSchedule(frequencyCap: try Self.cap(1)))
        await world.dispatcher().runUntilIdle()
        world.clock.advance(by: 10)
        let capped = ["suppressed frequencyCap": 1]
        let before = try await Self.draft(in: world, after: nil, try Self.cap(1))
        let rehearsal = try await world.rehearse(before)
        #expect(rehearsal.words == capped)
        // It is one message and not two.
        let twice = try await Self.draft(in: world, after: 600, try Self.cap(2))
        #expect(try await world.rehearse(twice).words == ["accepted": 1])
        // An hour after the first attempt, and not yet one after the second.
        let later = try await Self.draft(in: world, after: 3_640, try Self.cap(1, "PT1H"))
        #expect(try await world.rehearse(later).words == capped)
        _ = try await world.campaigns.life.launch(before, app: world.app)
        try await world.sendToTheEnd()
        let comparison = try await world.rehearsals.comparison(rehearsal.id, of: before, app: world.app)
        #expect(comparison.different == 0 && comparison.equal == 1)
    }

    @Test("CON-12: it says that more campaigns are planned than it plays")
    func reported() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        let now = world.clock.now
        func plan(_ numbers: ClosedRange<Int>) async throws {
            for number in numbers {
                _ = try await world.launch(
                    schedule: CampaignSchedule(at: now.addingTimeInterval(Double(60 * number)))
                )
            }
        }
        try await plan(1...20)
        let id = try await Self.draft(in: world, after: 7_200, try Self.cap(99))
        #expect(try await world.rehearse(id).figures?.warnings == [])
        try await plan(21...21)
        let warnings = try #require(try await world.rehearse(id).figures?.warnings)
        let expected = """
            More than 20 other campaigns may count against the frequency cap. 20 are rehearsed with it. Of the others, \
            campaigns that have not started do not count.
            """
        #expect(warnings == [expected])
    }

    @Test("CON-12: a planned campaign is played beside however many are sending, and it is said what of these counts")
    func keptPlaces() async throws {
        let world = try await ServiceWorld()
        let clients = try await world.makeFleet(3)
        let (first, second) = (Condition.deviceIDs([clients[0].rawValue]), Condition.deviceIDs([clients[1].rawValue]))
        for _ in 1...20 { _ = try await world.launch(audience: first) }
        while try await world.planner.planNext() {}
        let soon = CampaignSchedule(at: world.clock.now.addingTimeInterval(600))
        _ = try await world.launch(audience: second, schedule: soon)
        let id = try await Self.draft(in: world, after: 1_200, try Self.cap(20))
        let tight = try await Self.draft(in: world, after: 1_200, try Self.cap(1), audience: second)
        #expect(try await world.rehearse(tight).words == ["suppressed frequencyCap": 1])
        // What of those that are sending is not played counts all the same.
        let rehearsal = try await world.rehearse(id)
        #expect(rehearsal.words == ["accepted": 2, "suppressed frequencyCap": 1])
        let expected = """
            More than 20 other campaigns may count against the frequency cap. 20 are rehearsed with it. Of the others, \
            running campaigns count with what they sent, and with what waits as if it were sent at once.
            """
        #expect(rehearsal.figures?.warnings == [expected])
    }

    @Test("CON-12: it says which planned campaign cannot be sent as it is, and does not count it")
    func broken() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let soon = CampaignSchedule(at: world.clock.now.addingTimeInterval(600))
        let other = try await world.launch(schedule: soon)
        // A change of the app's attributes would be refused while it waits.
        try await world.database.write { connection in
            var row = try #require(try connection.campaigns.find(other))
            row.campaign.draft.push = PushContent(title: "In {{city}}", body: "B")
            try connection.campaigns.save(row)
        }
        let id = try await Self.draft(in: world, after: 1_200, try Self.cap(1))
        let rehearsal = try await world.rehearse(id)
        #expect(rehearsal.words == ["accepted": 2])
        let expected = "Campaign \(other) cannot be sent as it is, so it does not count against the frequency cap."
        #expect(rehearsal.figures?.warnings == [expected])
    }
}
