import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// REL-6: the server's clock is set back a day while there is work.
struct ClockSetBackTests {
    private static let day: TimeInterval = 86_400

    @Test("REL-6, CAMP-5: a clock that is set back holds up neither a retry nor a campaign with a rate limit")
    func underWay() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(3)
        world.clock.advance(by: Self.day)
        world.transport.answer("token1", .serverError, .accepted)
        let dispatcher = world.dispatcher()
        let retried = try await world.launch(audience: .deviceIDs([ServiceWorld.client(1).rawValue]))
        let rated = try await world.launch(
            audience: .deviceIDs([ServiceWorld.client(2).rawValue, ServiceWorld.client(3).rawValue]),
            schedule: CampaignSchedule(ratePerSecond: 1)
        )
        await dispatcher.runUntilIdle()
        #expect(try await world.counts(retried).pending == 1)
        let counts = try await world.counts(rated)
        #expect(counts.accepted == 1 && counts.pending == 1)
        world.clock.advance(by: -Self.day)
        await dispatcher.runUntilIdle()
        #expect(try await world.counts(retried).accepted == 1)
        #expect(try await world.counts(rated).accepted == 2)
        #expect(try await world.campaign(retried).status == .completed)
        #expect(try await world.campaign(rated).status == .completed)
        #expect(world.transport.requests.count == 4)
    }

    @Test("REL-6: a server that is started after its clock was set back notices it by what a campaign was summed up at")
    func started() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answer("token1", .serverError, .accepted)
        let id = try await world.launch()
        // Launched while the clock was right, and tried when it was ahead.
        world.clock.advance(by: Self.day)
        await world.dispatcher("a").runUntilIdle()
        await world.summation.sumUp()
        #expect(try await world.counts(id).pending == 1)
        world.clock.advance(by: -Self.day)
        await world.dispatcher("b").runUntilIdle()
        #expect(try await world.counts(id).accepted == 1)
        #expect(try await world.campaign(id).status == .completed)
    }

    @Test("REL-6: a server that is started after its clock was set back notices it by a campaign's resume")
    func resumed() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answer("token1", .serverError, .accepted)
        // Launched while the clock was right.
        let id = try await world.launch()
        _ = try await world.campaigns.life.pause(id, app: world.app)
        world.clock.advance(by: Self.day)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        await world.dispatcher("a").runUntilIdle()
        #expect(try await world.counts(id).pending == 1)
        world.clock.advance(by: -Self.day)
        await world.dispatcher("b").runUntilIdle()
        #expect(try await world.counts(id).accepted == 1)
        #expect(try await world.campaign(id).status == .completed)
    }

    @Test("REL-6, CAMP-5: a server that is started after its clock was set back notices it by a campaign's launch")
    func launched() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(2)
        world.clock.advance(by: Self.day)
        let id = try await world.launch(schedule: CampaignSchedule(ratePerSecond: 1))
        await world.dispatcher("a").runUntilIdle()
        #expect(try await world.counts(id).accepted == 1)
        _ = try await world.campaigns.life.pause(id, app: world.app)
        world.clock.advance(by: -Self.day)
        // Resumed when the clock is right again: only its launch lies ahead, and what the rate leaves to be sent.
        _ = try await world.campaigns.life.resume(id, app: world.app)
        await world.dispatcher("b").runUntilIdle()
        #expect(try await world.counts(id).accepted == 2)
        #expect(try await world.campaign(id).status == .completed)
    }

    @Test("REL-6, CAMP-5: what waits for its recipient's own time waits on when the clock is set back")
    func ownTime() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.clock.advance(by: Self.day)
        let now = world.clock.now
        let local = LocalDateTime(now.addingTimeInterval(3_600), in: .gmt)
        let dispatcher = world.dispatcher()
        let id = try await world.launch(schedule: CampaignSchedule(localAt: local))
        await dispatcher.runUntilIdle()
        world.clock.advance(by: -Self.day)
        for hours in [0, 24] {
            world.clock.advance(to: now.addingTimeInterval(Double(hours) * 3_600 - Self.day))
            await dispatcher.runUntilIdle()
            #expect(try await world.counts(id).pending == 1)
        }
        world.clock.advance(by: 3_600)
        await dispatcher.runUntilIdle()
        #expect(try await world.counts(id).accepted == 1)
    }

    @Test(
        "REL-6, PUSH-7: a clock that is set back delays a silent push that waits by twenty minutes at most",
        arguments: [false, true])
    func silentPush(isRestarted: Bool) async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.clock.advance(by: Self.day)
        var sender = world.silentPushSender()
        _ = try await world.publish("First")
        await sender.runUntilIdle()
        _ = try await world.publish("Second")
        await sender.runUntilIdle()
        #expect(world.transport.requests.count == 1)
        world.clock.advance(by: -Self.day)
        if isRestarted { sender = world.silentPushSender("b") }
        await sender.runUntilIdle()
        #expect(world.transport.requests.count == 1)
        world.clock.advance(by: 1_200)
        await sender.runUntilIdle()
        #expect(world.transport.requests.count == 2)
    }

    @Test("PUSH-7, REL-6: a process that is started with its clock a day behind lets no push leave too early")
    func behind() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.clock.advance(by: Self.day)
        let sender = world.silentPushSender()
        _ = try await world.publish("First")
        await sender.runUntilIdle()
        _ = try await world.publish("Second")
        await sender.runUntilIdle()
        // The clock of another one.
        world.clock.advance(by: -Self.day)
        await world.silentPushSender("b").runUntilIdle()
        world.clock.advance(by: Self.day)
        await sender.runUntilIdle()
        #expect(world.transport.requests.count == 1)
        world.clock.advance(by: 1_200)
        await sender.runUntilIdle()
        #expect(world.transport.requests.count == 2)
    }

    @Test("REL-6, PUSH-5: a worker that dies with its clock a day ahead, and holds nothing, leaves no retry waiting")
    func died() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answer("token1", .serverError, .accepted)
        let heir = world.dispatcher("b")
        await heir.runUntilIdle()
        let id = try await world.launch()
        world.clock.advance(by: Self.day)
        await world.dispatcher("a").runUntilIdle()
        await world.summation.sumUp()
        world.clock.advance(by: -Self.day)
        await heir.runUntilIdle()
        #expect(try await world.counts(id).pending == 1)
        world.clock.advance(by: ClockWatch.lookInterval)
        await heir.runUntilIdle()
        #expect(try await world.counts(id).accepted == 1)
        #expect(try await world.campaign(id).status == .completed)
    }

    @Test("REL-6, PUSH-7: a silent push that such a worker leaves waits for two looks at most")
    func silentPushLeft() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        let heir = world.silentPushSender("b")
        await heir.runUntilIdle()
        world.clock.advance(by: Self.day)
        let mortal = world.silentPushSender("a")
        for name in ["First", "Second"] {
            _ = try await world.publish(name)
            await mortal.runUntilIdle()
        }
        world.clock.advance(by: -Self.day)
        await heir.runUntilIdle()
        for count in [1, 2] {
            world.clock.advance(by: ClockWatch.lookInterval)
            await heir.runUntilIdle()
            #expect(world.transport.requests.count == count)
        }
    }

    @Test(
        "REL-6, CON-4: what was summed up and counted before the clock was set back is so anew",
        arguments: [false, true])
    func sums(isRestarted: Bool) async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        let now = world.clock.now
        var summation = world.summation
        world.clock.advance(by: Self.day)
        await summation.sumUp()
        world.clock.advance(by: -Self.day)
        try await world.engage(.opened, [1], of: id)
        if isRestarted { summation = world.summation }
        await summation.sumUp()
        let today = try #require(try await world.days(1).last)
        #expect(today.opened == 1 && today.devices == 2)
        // What was counted for a day that lies ahead does not let it be counted at each look.
        for _ in 0..<2 {
            #expect(try await world.rows("consent_days", where: "counted_at = \(now.milliseconds)") == 1)
            world.clock.advance(by: StatisticsSummation.lookInterval)
            await summation.sumUp()
        }
        #expect(try await world.rows("consent_days") == 2)
    }

    @Test(
        "REL-6, CON-4: what a clock that was a month ahead took for the last sum is summed up anew",
        arguments: [false, true])
    func lastSums(isRestarted: Bool) async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        var summation = world.summation
        world.clock.advance(by: 40 * Self.day)
        await summation.sumUp()
        world.clock.advance(by: -40 * Self.day)
        try await world.engage(.opened, [1], of: id)
        if isRestarted {
            // The campaign alone says that the clock was ahead.
            try await world.database.write { connection in _ = try connection.execute("DELETE FROM consent_days") }
            summation = world.summation
        }
        await summation.sumUp()
        let today = try #require(try await world.days(1).last)
        #expect(today.opened == 1)
        // And once only.
        try await world.engage(.opened, [2], of: id)
        world.clock.advance(by: StatisticsSummation.lookInterval)
        await summation.sumUp()
        let later = try #require(try await world.days(1).last)
        #expect(later.opened == 1)
    }

    @Test("REL-6, CON-4: devices are counted anew on a day of which the last count lies ahead")
    func countOfToday() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let summation = world.summation
        let now = world.clock.now
        world.clock.advance(by: 3_600)
        await summation.sumUp()
        world.clock.advance(by: -3_600)
        await summation.sumUp()
        let days = try await world.rows("consent_days", where: "counted_at = \(now.milliseconds)")
        #expect(try await world.rows("consent_days") == 1 && days == 1)
    }

    @Test("REL-6, SEC-8: what is renewed every few seconds is renewed when the clock is set back, and not a day later")
    func renewals() async throws {
        let world = try await ServiceWorld()
        let (now, mark, held) = (world.clock.now, RegistrationGroupMark(), HeldWork<Int>())
        let before = now.addingTimeInterval(-Self.day)
        mark.set(1...9, at: now)
        #expect(mark.covers(1...9, at: now.addingTimeInterval(RegistrationGroupMark.renewal - 1)))
        #expect(!mark.covers(1...9, at: before))
        _ = await held.insert([1], aloneSince: now)
        #expect(await held.mayBeginAlone(at: now) == false)
        #expect(await held.mayBeginAlone(at: before))
        for moment in [now, before] {
            world.clock.advance(by: moment.timeIntervalSince(world.clock.now))
            _ = try await world.attempts.step(.plan(1)) { (isDone: false, output: moment) }
            let known = try await world.database.read { try $0.workAttempts.find(.plan(1)) }
            #expect(known?.leaseUntil == moment.addingTimeInterval(AttemptRule.lease) && known?.attempts == 1)
        }
    }

    @Test("REL-6: a clock that runs, or is corrected by a little, was not set back")
    func watch() {
        let start = ServiceWorld.epoch
        let watch = ClockWatch()
        #expect(watch.isSetBack(at: start) == false)
        #expect(watch.isSetBack(at: start.addingTimeInterval(3_600)) == false)
        #expect(watch.isSetBack(at: start.addingTimeInterval(3_600 - ClockWatch.tolerance)) == false)
        let back = start.addingTimeInterval(-3_600)
        #expect(watch.isSetBack(at: back) == true)
        #expect(watch.isSetBack(at: back) == true, "until somebody has seen to it")
        watch.reset(to: back)
        #expect(watch.isSetBack(at: back.addingTimeInterval(1)) == false)
        let another = ClockWatch()
        #expect(another.isToLook(at: back))
        another.looked(at: back, found: start)
        let isSetBack = another.isSetBack(at: back)
        #expect(isSetBack && !another.isToLook(at: back))
        let noted = ClockWatch()
        noted.note(start)
        #expect(noted.isSetBack(at: back) && noted.isToLook(at: back))
    }

    @Test("REL-6: what anybody has put down is looked at now and then, and what stands there counts once")
    func looks() {
        let start = ServiceWorld.epoch
        let (hour, ahead) = (start.addingTimeInterval(3_600), start.addingTimeInterval(Self.day))
        let watch = ClockWatch()
        watch.looked(at: start)
        #expect(!watch.isToLook(at: start.addingTimeInterval(ClockWatch.lookInterval - 1)))
        #expect(watch.isToLook(at: start.addingTimeInterval(ClockWatch.lookInterval)))
        #expect(watch.isToLook(at: start.addingTimeInterval(-ClockWatch.lookInterval)))
        // It waits until the next look at most.
        watch.looked(at: start, found: start.addingTimeInterval(ClockWatch.lookInterval))
        #expect(!watch.isSetBack(at: start))
        watch.looked(at: start, found: ahead)
        #expect(watch.isSetBack(at: start))
        watch.reset(to: start)
        watch.looked(at: hour, found: ahead)
        #expect(!watch.isSetBack(at: hour), "it stands there still")
        watch.looked(at: hour, found: ahead.addingTimeInterval(1))
        #expect(watch.isSetBack(at: hour))
    }
}
