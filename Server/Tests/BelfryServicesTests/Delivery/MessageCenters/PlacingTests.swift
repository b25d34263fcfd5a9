import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// Messages are placed whatever becomes of pushes (MC-16).
struct PlacingTests {
    private static let message = MessageCenterContent(
        subject: "News", message: "Only today", badge: BadgeChange(op: .increment)
    )

    /// So many devices with tokens, each with a contact of its own.
    private static func fleet(_ count: Int, in world: ServiceWorld) async throws {
        try await world.makeFleet(count)
        let (app, now) = (world.app.id, world.clock.now)
        try await world.database.write { connection in
            let devices = try connection.query("SELECT id FROM devices ORDER BY id", []) { $0.integer(0) }
            for device in devices {
                let contact = try connection.contacts.findOrInsert(
                    app: app, key: "contact-\(device)", known: true, now: now
                )
                try connection.execute(
                    "UPDATE devices SET contact_id = ? WHERE id = ?", [.integer(contact), .integer(device)]
                )
            }
            try connection.audiences.rebuild(app: app)
        }
    }

    @Test(
        "MC-16, REG-33: wrong credentials pause the pushes, and everybody has the message; the pushes follow a resume",
        arguments: [false, true])
    func wrongCredentials(hasPush: Bool) async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await Self.fleet(600, in: world)
        world.transport.answerAll(.invalidProviderToken)
        var message = Self.message
        if hasPush { message.badge = nil }
        let id = try await world.launch(message: message, push: hasPush ? ServiceWorld.content : nil)
        try await world.sendToTheEnd()
        let paused = try await world.campaign(id)
        #expect(paused.status == .paused)
        #expect(paused.statusReason?.hasSuffix("Meanwhile its messages are placed in their message centers.") == true)
        #expect(try await world.rows("center_messages") == 600)
        #expect(try await world.counts(id).accepted == 0)
        let sent = world.transport.requests.count
        #expect(sent <= 256)
        // Nothing is left to be done until somebody resumes it.
        world.clock.advance(by: 86_400)
        try await world.sendToTheEnd()
        #expect(world.transport.requests.count == sent)
        world.transport.answerAll(.accepted)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 600)
        #expect(try await world.rows("center_messages") == 600)
        if !hasPush { #expect(try await world.rows("badges", where: "count = 1 AND revision = 1") == 600) }
        #expect(try await world.campaign(id).status == .completed)
    }

    @Test("MC-16, CAMP-5: while the server has paused a campaign, each gets the message at their own time")
    func atTheirTime() async throws {
        let world = try await ServiceWorld()
        var devices: [ServiceDevice] = []
        for (number, zone) in [(1, "Asia/Tokyo"), (2, "Europe/Paris"), (3, "America/New_York")] {
            var device = try await ServiceDevice.started(world, number)
            try await device.register {
                $0.pushToken = "token\(number)"
                $0.timeZone = zone
            }
            devices.append(device)
        }
        try await world.process()
        world.transport.answerAll(.invalidProviderToken)
        let local = try #require(LocalDateTime("2026-11-22T09:00:00"))
        let id = try await world.launch(
            message: ServiceWorld.message, push: ServiceWorld.content, schedule: CampaignSchedule(localAt: local)
        )
        func placed() async throws -> [Int] {
            var counts: [Int] = []
            for device in devices { counts.append(try await world.inbox(device).count) }
            return counts
        }
        try await world.send(until: try #require(Timestamp.date("2026-11-22T00:00:00Z")))
        #expect(try await world.campaign(id).status == .paused)
        #expect(try await placed() == [1, 0, 0])
        try await world.send(until: try #require(Timestamp.date("2026-11-22T08:00:00Z")))
        #expect(try await placed() == [1, 1, 0])
        // A person pauses that, too, and it says so.
        let stopped = try await world.campaigns.life.pause(id, app: world.app)
        #expect(
            stopped.status == .paused && stopped.statusReason == "Paused by an operator. No message is placed either.")
        try await world.send(until: try #require(Timestamp.date("2026-11-22T15:00:00Z")))
        #expect(try await placed() == [1, 1, 0])
        world.transport.answerAll(.accepted)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await placed() == [1, 1, 1])
        #expect(try await world.inbox(devices[2]).first?.sentAt == Timestamp.date("2026-11-22T14:00:00Z"))
        #expect(try await world.counts(id).accepted == 3)
    }

    @Test(
        "MC-16, CAMP-5: a rate limit keeps no message from its center while the server has paused the pushes",
        arguments: [false, true])
    func behindRate(hasPush: Bool) async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await Self.fleet(40, in: world)
        world.transport.answerAll(.invalidProviderToken)
        var message = Self.message
        if hasPush { message.badge = nil }
        let id = try await world.launch(
            message: message, push: hasPush ? ServiceWorld.content : nil, schedule: CampaignSchedule(ratePerSecond: 10)
        )
        let dispatcher = world.dispatcher()
        // Ten seconds: more than the rate asks for. A worker that never comes to its end is stopped.
        for _ in 0..<100 {
            _ = await withDiscardingTaskGroup(returning: WorkTick.self) { pieces in await dispatcher.turn(&pieces) }
            world.clock.advance(by: 0.1)
        }
        #expect(try await world.campaign(id).status == .paused)
        #expect(try await world.rows("center_messages") == 40)
        #expect(try await world.counts(id).pending == 40)
        world.transport.answerAll(.accepted)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 40)
        #expect(try await world.campaign(id).status == .completed)
        #expect(try await world.rows("center_messages") == 40)
    }

    @Test("MC-16: a campaign that a person paused places nothing until it is resumed")
    func pausedByPerson() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        let id = try await world.launch(message: ServiceWorld.message, push: ServiceWorld.content)
        _ = try await world.planner.planNext()
        for _ in 0..<2 {
            let paused = try await world.campaigns.life.pause(id, app: world.app)
            #expect(paused.statusReason == "Paused by an operator. No message is placed either.")
            try await world.sendToTheEnd()
            #expect(try await world.inbox(device).isEmpty && world.transport.requests.isEmpty)
        }
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.inbox(device).count == 1 && world.transport.requests.count == 1)
    }

    @Test("MC-16: a push that cannot be built or that the cap holds back keeps no message from its center")
    func unbuildable() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("story", type: .string, app: world.app)
        var device = try await ServiceDevice.started(world, 1)
        _ = try await device.register {
            $0.pushToken = "token1"
            $0.attributes = ["story": .string(String(repeating: "é", count: 2_000))]
        }
        try await world.process()
        let big = PushContent(title: "Sale", body: "{{story}}")
        let large = try await world.launch(message: ServiceWorld.message, push: big)
        try await world.sendToTheEnd()
        #expect(try await world.outcome(large, device) == "payloadTooLarge")
        let cap = CampaignSchedule(frequencyCap: FrequencyCap(count: 1, within: try ISODuration("P1D")))
        for _ in 0..<2 {
            _ = try await world.launch(message: ServiceWorld.message, push: ServiceWorld.content, schedule: cap)
            try await world.sendToTheEnd()
        }
        #expect(world.transport.requests.count == 1)
        #expect(try await world.inbox(device).count == 3)
    }

    @Test(
        "MC-15, MC-16: what is placed while nobody is logged in is the installation's; text of its values goes with them"
    )
    func installation() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("firstName", type: .string, app: world.app)
        var device = try await ServiceDevice.started(world, 1)
        try await device.register { $0.attributes = ["firstName": .string("Anna")] }
        try await world.process()
        let plain = try await world.launch(message: ServiceWorld.message)
        let personal = try await world.launch(
            message: MessageCenterContent(subject: "Hello {{firstName}}", message: "Look")
        )
        try await world.sendToTheEnd()
        #expect(try await world.inbox(device).map(\.campaign) == [personal, plain])
        let number = try await world.profile(device).device.id
        #expect(try await world.rows("center_messages", where: "contact_id = -\(number)") == 2)
        world.clock.advance(by: 1)
        try await device.identify("anna")
        #expect(try await world.inbox(device).isEmpty)
        let known = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        #expect(try await world.inbox(device).map(\.campaign) == [known])
        world.clock.advance(by: 1)
        device.keep(try await world.links.linkAnonymously(device.caller(), isFresh: true))
        #expect(try await world.inbox(device).map(\.campaign) == [plain])
        let explanation = try await world.explainer.explain(known, device: device.client.rawValue, app: world.app)
        #expect(explanation.sentence.contains("for the contact that the device had then"))
    }
}
