import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// FLEET-2: which devices the upkeep moves out of the way.
struct DeadDeviceTests {
    @Test("FLEET-2: a device that is dead leaves the tables of those that live; its contact stays")
    func moved() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.started(world, 1)
        await world.pass(days: 400)
        #expect(try await world.deviceCounts() == [1, 0, 1])
        await world.pass(days: 1)
        #expect(try await world.deviceCounts() == [0, 1, 0])
        // Its anonymous contact is not taken for one that nobody has.
        await world.pass(days: 401)
        #expect(try await world.rows("contacts") == 1)
    }

    @Test("FLEET-2: a device that gets pushes, was opened or changed within the term, or waits to be processed stays")
    func living() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.started(world, 1)
        try await ServiceDevice.started(world, 2).putToken("token2")
        var registering = try await ServiceDevice.started(world, 3)
        var opened = try await ServiceDevice.started(world, 4)
        world.clock.advance(by: 300 * 86_400)
        try await registering.refresh()
        _ = try await registering.register()
        try await opened.refresh()
        try await opened.track(.test("e1", .sessionStart, at: world.clock.now))
        await world.pass(days: 101)
        #expect(try await world.dormantClients() == [try ServiceWorld.client(1).rawValue])
        #expect(try await world.deviceCounts() == [3, 1, 3])
        // Processed, it is changed.
        try await world.process()
        await world.housekeeping.tidy()
        #expect(try await world.deviceCounts() == [3, 1, 3])
        await world.pass(days: 401)
        #expect(try await world.deviceCounts() == [1, 3, 1])
    }

    @Test("FLEET-2: a device that only fetches its message center lives, and once brought back is not moved again")
    func fetching() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        func fetch() async throws {
            try await device.refresh()
            _ = try await world.inboxService.messages(in: "Primary", for: device.authenticated())
        }
        // More than a year of a fetch each week.
        for _ in 0..<70 {
            await world.pass(days: 7)
            #expect(try await world.deviceCounts() == [1, 0, 1])
            try await fetch()
        }
        // Silent for longer than the term, it is moved; back again, it stays.
        await world.pass(days: 402)
        #expect(try await world.deviceCounts() == [0, 1, 0])
        try await fetch()
        await world.pass(days: 300)
        #expect(try await world.deviceCounts() == [1, 0, 1])
        await world.pass(days: 102)
        #expect(try await world.deviceCounts() == [0, 1, 0])
    }

    @Test("FLEET-2, REG-32: a device whose token the push service calls invalid is dead, its token notwithstanding")
    func invalidToken() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        try await device.putToken("token1")
        let (number, now) = (try await device.row.id, world.clock.now)
        try await world.database.write { connection in
            try connection.optOuts.record([
                TokenOptOut(device: number, token: "token1", optOut: OptOut(reason: .tokenInvalid, at: now))
            ])
        }
        await world.pass(days: 401)
        #expect(try await world.deviceCounts() == [0, 1, 0])
    }

    @Test("FLEET-2: a device stays while a campaign is still to be sent to it; in-app messages wait for it anywhere")
    func campaigns() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.started(world, 1)
        let id = try await world.launch()
        while try await world.planner.planNext() {}
        _ = try await world.offer()
        try await world.planInAppCampaigns()
        #expect(try await world.rows("deliveries", where: "state = 'pending'") == 2)
        await world.pass(days: 401)
        #expect(try await world.deviceCounts() == [1, 0, 1])
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).pending == 0)
        await world.housekeeping.tidy()
        #expect(try await world.deviceCounts() == [0, 1, 0])
        #expect(try await world.rows("deliveries", where: "state = 'pending'") == 1)
    }

    @Test("FLEET-2, SEC-8: a device stays while it is owed a silent push, or something of it is set aside")
    func setAside() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        _ = try await device.register()
        try await world.process()
        let (number, app, now) = (try await device.row.id, world.app.id, world.clock.now)
        let registration = try await world.database.read { connection in
            try connection.first("SELECT id FROM registrations", []) { $0.integer(0) }
        }
        let subjects: [WorkSubject] = [.silentPush(device: number), .registration(try #require(registration))]
        world.clock.advance(by: 401 * 86_400)
        for subject in subjects {
            try await world.database.write { connection in
                try connection.workAttempts.save(
                    WorkAttempt(
                        subject: subject, app: app, status: .quarantined, attempts: 3, leaseUntil: now, since: now
                    )
                )
            }
            await world.housekeeping.tidy()
            #expect(try await world.deviceCounts() == [1, 0, 1], "\(subject)")
            try await world.database.write { _ = try $0.workAttempts.release(subject) }
        }
        try await world.database.write { connection in
            try connection.silentPushes.insert([number], app: app)
            try connection.execute("UPDATE silent_pushes SET due_at = 0")
        }
        await world.housekeeping.tidy()
        #expect(try await world.deviceCounts() == [1, 0, 1])
        let later = world.clock.now
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE silent_pushes SET due_at = NULL, sent_at = ?", [.date(later)])
        }
        await world.housekeeping.tidy()
        #expect(try await world.deviceCounts() == [0, 1, 0])
        #expect(try await world.rows("silent_pushes") == 0)
    }

    @Test("FLEET-2, REG-23: an offer that nobody took up in its time keeps no device")
    func expiredOffer() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.registered(world, 1, token: "token1")
        world.clock.advance(by: 60)
        let device = try await ServiceDevice.started(world, 2)
        try await device.putToken("token1")
        await world.silentPushSender().runUntilIdle()
        world.clock.advance(by: 1)
        try await device.deleteToken()
        #expect(try await world.rows("takeover_offers") == 1)
        await world.pass(days: 401)
        #expect(try await world.deviceCounts() == [0, 2, 0])
        #expect(try await world.rows("takeover_offers") == 0)
    }

    @Test("FLEET-2: each app has its own term")
    func settings() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.started(world, 1)
        let other = try await world.apps.create(code: "other", name: "Other").app
        let now = world.clock.now
        try await world.database.write { connection in
            _ = try connection.devices.insert(app: other.id, client: try ServiceWorld.client(2), now: now)
        }
        var settings = world.app.settings
        settings.dormantAfterDays = 30
        try await world.save(settings)
        await world.pass(days: 31)
        #expect(try await world.dormantClients() == [try ServiceWorld.client(1).rawValue])
        await world.pass(days: 370)
        #expect(try await world.deviceCounts() == [0, 2, 0])
    }
}
