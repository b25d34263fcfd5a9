import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

struct BadgeStoryTests {
    private static let increment = BadgeChange(op: .increment)

    private static func push(_ change: BadgeChange) -> PushContent {
        var content = ServiceWorld.content
        content.badge = change
        return content
    }

    private static func message(_ change: BadgeChange?) -> MessageCenterContent {
        var message = ServiceWorld.message
        message.badge = change
        return message
    }

    @Test("BADGE-1: campaigns increment, set and clear the badge of those they reach, never above the app's maximum")
    func changes() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        let optedOut = try await world.optedOutDevice(2)
        let steps: [(BadgeChange, Int)] = [
            (Self.increment, 1), (BadgeChange(op: .increment, value: 41), 42), (BadgeChange(op: .set, value: 7), 7),
            (BadgeChange(op: .increment, value: 1_000), 99), (BadgeChange(op: .clear), 0),
            (BadgeChange(op: .set, value: 500), 99),
        ]
        for (number, (change, count)) in steps.enumerated() {
            _ = try await world.launch(push: Self.push(change))
            try await world.sendToTheEnd()
            let badge = Badge(count: count, revision: Int64(number + 1))
            #expect(try await world.badge(device.client) == badge)
            let request = try #require(world.transport.requests.last)
            #expect(request.badge == badge && request.iconBadge == count && request.isShown)
        }
        #expect(try await world.badge(optedOut.client) == .none)
        #expect(world.transport.requests.count == steps.count)
    }

    @Test("BADGE-1: however often a push is tried, its recipient's badge counts once")
    func retries() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        world.transport.answer("token1", .serverError, .silence, .unsent, .accepted)
        let id = try await world.launch(push: Self.push(Self.increment))
        try await world.sendToTheEnd()
        #expect(try await world.outcome(id, device) == "accepted")
        #expect(try await world.badge(device.client) == Badge(count: 1, revision: 1))
        #expect(world.transport.requests.count == 4)
        #expect(world.transport.requests.allSatisfy { $0.badge == Badge(count: 1, revision: 1) })
    }

    @Test("BADGE-5: a repeat carries the badge of that moment, whatever changed meanwhile")
    func repeatTellsNow() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        world.transport.answer("token1", .serverError, .accepted)
        _ = try await world.launch(push: Self.push(Self.increment))
        await world.dispatcher().runUntilIdle()
        let client = device.client
        try await world.database.write { [app = world.app.id] connection in
            let row = try #require(try connection.devices.find(app: app, client: client))
            _ = try connection.badges.set(count: 5, baseRevision: 1, device: row.id, maximum: 99)
        }
        try await world.sendToTheEnd()
        #expect(world.transport.requests.map(\.badge) == [Badge(count: 1, revision: 1), Badge(count: 5, revision: 2)])
    }

    @Test("BADGE-1, PUSH-5: a worker that dies between the change and the send changes nothing twice")
    func death() async throws {
        for kept in [false, true] {
            let world = try await ServiceWorld(isOneShard: true)
            var devices: [ServiceDevice] = []
            for number in 1...5 {
                devices.append(try await ServiceDevice.registered(world, number, token: "token\(number)"))
            }
            let content = Self.push(Self.increment)
            let id =
                kept
                ? try await world.launch(message: ServiceWorld.message, push: content)
                : try await world.launch(push: content)
            let mortal = MortalDatabase(
                world.database,
                isLastWrite: { connection in
                    try connection.first("SELECT count(*) FROM badges", []) { $0.integer(0) } == 5
                }
            )
            // It dies with the transaction that changed the badges: what it sends after it, nobody writes down.
            await world.dispatcher("a", database: mortal).runUntilIdle()
            #expect(try await world.counts(id).pending == 5)
            for device in devices {
                #expect(try await world.badge(device.client) == Badge(count: 1, revision: 1))
                #expect(try await world.inbox(device).count == (kept ? 1 : 0))
            }
            world.clock.advance(by: 15)
            await world.dispatcher("b").runUntilIdle()
            #expect(try await world.counts(id).accepted == 5)
            for device in devices {
                #expect(try await world.badge(device.client) == Badge(count: 1, revision: 1))
                #expect(try await world.inbox(device).count == (kept ? 1 : 0))
            }
            #expect(world.transport.requests.allSatisfy { $0.badge == Badge(count: 1, revision: 1) })
        }
    }

    @Test("REG-33, BADGE-1: a pause leaves unsent recipients without message and badge; so does a cancel")
    func pausedAndCancelled() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(300)
        world.transport.hold()
        let id = try await world.launch(push: Self.push(Self.increment))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await world.dispatcher().runUntilIdle() }
            await world.transport.received(256)
            _ = try await world.campaigns.life.pause(id, app: world.app)
            world.transport.release()
            try await group.waitForAll()
        }
        #expect(try await world.rows("badges") == 256)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        try await world.sendToTheEnd()
        let counts = try await world.counts(id)
        #expect(counts.accepted == 256 && counts.cancelled == 44)
        #expect(try await world.rows("badges", where: "count = 1 AND revision = 1") == 256)
        #expect(try await world.rows("badges") == 256)
    }

    @Test(
        "BADGE-1: a message-center campaign sends only its badge, to opted-in devices; others fetch it later"
    )
    func badgePush() async throws {
        let world = try await ServiceWorld()
        try await world.apps.putWebPushCredentials(TestKeys.webPush(), app: world.app)
        let optedIn = try await ServiceDevice.registered(world, 1, token: "token1")
        let optedOut = try await world.optedOutDevice(2)
        let tokenless = try await ServiceDevice.registered(world, 3)
        let browser = try await ServiceDevice.registered(world, 4)
        try await browser.putToken(TestKeys.subscription(), provider: .webpush)
        let id = try await world.launch(message: Self.message(Self.increment))
        try await world.sendToTheEnd()
        for device in [optedIn, optedOut, tokenless, browser] {
            #expect(try await world.outcome(id, device) == "accepted")
            #expect(try await world.inbox(device).count == 1)
            #expect(try await world.badge(device.client) == Badge(count: 1, revision: 1))
        }
        let request = try #require(world.transport.requests.first)
        #expect(world.transport.requests.count == 1 && request.token == "token1" && !request.isShown)
        #expect(request.badge == Badge(count: 1, revision: 1) && request.iconBadge == 1)
        #expect(request.sync == ["messageCenter"])
        let row = try await world.delivery(id, optedIn)
        #expect(row?.attempts == 1 && row?.note == nil)
    }

    @Test("LED-1, REG-31: placed is accepted, whatever the badge push's result; token feedback still counts")
    func rejectedBadgePush() async throws {
        let world = try await ServiceWorld()
        let gone = try await ServiceDevice.registered(world, 1, token: "gone")
        let silent = try await ServiceDevice.registered(world, 2, token: "silent")
        let slow = try await ServiceDevice.registered(world, 3, token: "slow")
        world.transport.answer("gone", .unregistered(since: nil))
        world.transport.answer("silent", .silence)
        world.transport.answer("slow", .tooMany, .accepted)
        let id = try await world.launch(message: Self.message(Self.increment))
        await world.dispatcher().runUntilIdle()
        // While the badge push is tried again, its row is pending, and the message can be read.
        #expect(try await world.outcome(id, slow) == "pending")
        #expect(try await world.inbox(slow).count == 1)
        try await world.sendToTheEnd()
        for device in [gone, silent, slow] {
            #expect(try await world.outcome(id, device) == "accepted")
            #expect(try await world.badge(device.client) == Badge(count: 1, revision: 1))
        }
        #expect(try await world.delivery(id, gone)?.note == "badge push: Unregistered")
        #expect(try await world.delivery(id, slow)?.note == nil)
        #expect(try await world.eligibility(gone) == "optedOut:token-invalid")
        let counts = try await world.counts(id)
        #expect(counts.accepted == 3 && counts.total == counts.audience)
    }

    @Test("CAMP-2, LED-1: a cancel between the attempts of a badge push ends it as placed")
    func cancelledBadgePush() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        world.transport.answer("token1", .serverError)
        let id = try await world.launch(message: Self.message(Self.increment))
        await world.dispatcher().runUntilIdle()
        for _ in 0..<2 { _ = try await world.campaigns.life.pause(id, app: world.app) }
        #expect(try await world.outcome(id, device) == "pending")
        for _ in 0..<2 { _ = try await world.campaigns.life.cancel(id, app: world.app) }
        try await world.sendToTheEnd()
        #expect(try await world.outcome(id, device) == "accepted")
        #expect(try await world.inbox(device).count == 1)
        #expect(try await world.counts(id).cancelled == 0)
    }

    @Test("REG-33: wrong credentials hold the badge push, not the message; after the resume nothing counts twice")
    func wrongCredentials() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        world.transport.answer("token1", .invalidProviderToken, .accepted)
        let id = try await world.launch(message: Self.message(Self.increment))
        try await world.sendToTheEnd()
        #expect(try await world.campaign(id).status == .paused)
        #expect(try await world.outcome(id, device) == "pending")
        #expect(try await world.inbox(device).count == 1)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.outcome(id, device) == "accepted")
        #expect(try await world.badge(device.client) == Badge(count: 1, revision: 1))
        #expect(world.transport.requests.count == 2)
    }

    @Test("BADGE-1: a device that opts out between attempts gets no badge push, and keeps the message")
    func lateOptOut() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, token: "token1")
        world.transport.answer("token1", .serverError)
        let id = try await world.launch(message: Self.message(Self.increment))
        await world.dispatcher().runUntilIdle()
        _ = try await device.register { $0.pushEnabled = false }
        try await world.process()
        try await world.sendToTheEnd()
        #expect(world.transport.requests.count == 1)
        #expect(try await world.outcome(id, device) == "accepted")
        #expect(try await world.badge(device.client) == Badge(count: 1, revision: 1))
    }

    @Test(
        "BADGE-5, MC-3: whenever workers die, each campaign changes a badge once and leaves one message"
    )
    func property() async throws {
        for seed in UInt64(1)...8 {
            var dice = SeededGenerator(seed: seed)
            let world = try await ServiceWorld()
            let devices = [
                try await ServiceDevice.registered(world, 1, token: "token1"), try await world.optedOutDevice(2),
            ]
            var expected = [Badge.none, .none]
            var messages = 0
            for _ in 0..<Int.random(in: 2...5, using: &dice) {
                let change = Self.randomChange(&dice)
                let isPush = Bool.random(using: &dice)
                let script = [ScriptedTransport.Response.serverError, .silence, .accepted].shuffled(using: &dice)
                world.transport.script("token1", script + [.accepted])
                let id =
                    isPush
                    ? try await world.launch(message: ServiceWorld.message, push: Self.push(change))
                    : try await world.launch(message: Self.message(change))
                let lives = Countdown(Int.random(in: 0...12, using: &dice))
                let mortal = MortalDatabase(world.database, isLastWrite: { _ in !lives.next() })
                await world.dispatcher("a", database: mortal).runUntilIdle()
                world.clock.advance(by: 15)
                try await world.sendToTheEnd()
                for index in 0..<2 {
                    expected[index].count = change.apply(to: expected[index].count, maximum: 99)
                    expected[index].revision += 1
                }
                messages += 1
                let counts = try await world.counts(id)
                #expect(counts.accepted == (isPush ? 1 : 2) && counts.total == 2, "seed \(seed)")
            }
            for (device, badge) in zip(devices, expected) {
                #expect(try await world.badge(device.client) == badge, "seed \(seed)")
            }
            #expect(try await world.inbox(devices[0]).count == messages, "seed \(seed)")
            #expect(world.transport.requests.last?.badge.map { $0.revision <= expected[0].revision } == true)
        }
    }

    private static func randomChange(_ dice: inout SeededGenerator) -> BadgeChange {
        switch Int.random(in: 0...3, using: &dice) {
        case 0: BadgeChange(op: .clear)
        case 1: BadgeChange(op: .set, value: Int.random(in: 0...120, using: &dice))
        default: BadgeChange(op: .increment, value: Int.random(in: 1...60, using: &dice))
        }
    }
}
