import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct LimitsTests {
    private static func weekly() throws -> CampaignSchedule {
        CampaignSchedule(frequencyCap: FrequencyCap(count: 2, within: try ISODuration("P7D")))
    }

    @Test("CAMP-5: a frequency cap counts the device's messages of all campaigns in the rolling period")
    func cap() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let day: TimeInterval = 86_400
        // The first goes to one of them alone, before anybody capped anything.
        _ = try await world.launch(audience: .deviceIDs([ServiceWorld.client(1).rawValue]))
        try await world.sendToTheEnd()
        world.clock.advance(by: day)
        for (expected1, expected2) in [(true, true), (false, true), (false, false)] {
            let id = try await world.launch(schedule: try Self.weekly())
            try await world.sendToTheEnd()
            for (number, isSent) in [(1, expected1), (2, expected2)] {
                let row = try await world.delivery(id, ServiceWorld.client(number))
                #expect(row?.state == (isSent ? .accepted : .suppressed))
                #expect(row?.reason?.rawValue == (isSent ? nil : "frequencyCap"))
            }
            world.clock.advance(by: 60)
        }
        // Six days later the first message is older than the period, and one may leave again.
        world.clock.advance(by: 6 * day)
        let id = try await world.launch(schedule: try Self.weekly())
        try await world.sendToTheEnd()
        #expect(try await world.delivery(id, ServiceWorld.client(1))?.state == .accepted)
        #expect(try await world.delivery(id, ServiceWorld.client(2))?.reason?.rawValue == "frequencyCap")
    }

    @Test("CAMP-5: sends in flight count against the cap as well")
    func capUnderWay() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answer("token1", .serverError, .accepted)
        let once = CampaignSchedule(frequencyCap: FrequencyCap(count: 1, within: try ISODuration("P1D")))
        let first = try await world.launch(schedule: once)
        await world.dispatcher().runUntilIdle()
        #expect(try await world.delivery(first, ServiceWorld.client(1))?.state == .pending)
        let second = try await world.launch(schedule: once)
        await world.dispatcher().runUntilIdle()
        #expect(try await world.delivery(second, ServiceWorld.client(1))?.reason?.rawValue == "frequencyCap")
        try await world.sendToTheEnd()
        #expect(try await world.delivery(first, ServiceWorld.client(1))?.state == .accepted)
    }

    @Test("CAMP-5: silent pushes are neither counted nor capped")
    func silent() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        let once = CampaignSchedule(frequencyCap: FrequencyCap(count: 1, within: try ISODuration("P1D")))
        for _ in 0..<2 {
            let id = try await world.launch(push: PushContent(title: "", body: ""), kind: .silent)
            try await world.sendToTheEnd()
            #expect(try await world.delivery(id, ServiceWorld.client(1))?.state == .accepted)
        }
        let id = try await world.launch(schedule: once)
        try await world.sendToTheEnd()
        #expect(try await world.delivery(id, ServiceWorld.client(1))?.state == .accepted)
    }

    @Test("CAMP-5: a rate limit applies in each second, and everything is sent in the end")
    func rate() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(23)
        let id = try await world.launch(schedule: CampaignSchedule(ratePerSecond: 5))
        let start = world.clock.now
        var seconds = 0
        while try await world.counts(id).accepted < 23 {
            let date = start.addingTimeInterval(Double(seconds))
            try await world.send(until: date)
            let sent = world.transport.requests.count
            // The first leaves at once.
            #expect(sent <= 1 + 5 * seconds && sent >= min(23, 5 * seconds), "\(sent) after \(seconds) s")
            seconds += 1
            guard seconds < 20 else { break }
        }
        #expect(seconds <= 6)
        #expect(try await world.campaign(id).status == .completed)
    }

    @Test("CAMP-5: sends that a rate limit delays count against no cap, and are not leased before their time")
    func capBehindRate() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(10)
        let once = FrequencyCap(count: 1, within: try ISODuration("P1D"))
        let slow = try await world.launch(schedule: CampaignSchedule(frequencyCap: once, ratePerSecond: 1))
        await world.dispatcher().runUntilIdle()
        #expect(try await world.counts(slow).accepted == 1)
        // Nothing of it is claimed until the next may leave.
        let (now, due) = (world.clock.now, try await world.database.read { try $0.batches.nextDue() })
        #expect(due == now.addingTimeInterval(1))
        let claimed = try await world.database.write { connection in
            try connection.batches.claim(owner: "b", until: now.addingTimeInterval(15), now: now, limit: 9)
        }
        #expect(claimed.isEmpty)
        let other = try await world.launch(schedule: CampaignSchedule(frequencyCap: once))
        await world.dispatcher().runUntilIdle()
        let counts = try await world.counts(other)
        #expect(counts.accepted == 9 && counts.suppressed == 1)
    }

    @Test("LED-1: of devices with one push token, the one that registered it last gets the message")
    func duplicateToken() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let (app, now) = (world.app.id, world.clock.now)
        try await world.database.write { connection in
            var second = try connection.devices.findOrInsert(app: app, client: ServiceWorld.client(2), now: now)
            second.pushToken = try PushToken("token1", provider: .apns, environment: .production)
            second.tokenAt = now.addingTimeInterval(-1)
            try connection.devices.save(second)
        }
        let id = try await world.launch()
        try await world.sendToTheEnd()
        #expect(world.transport.requests.count == 1)
        #expect(try await world.delivery(id, ServiceWorld.client(1))?.state == .accepted)
        #expect(try await world.delivery(id, ServiceWorld.client(2))?.reason?.rawValue == "duplicateToken")
    }
}
