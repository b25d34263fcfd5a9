import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct MessageCenterStoryTests {
    @Test(
        "MC-3, LED-3: a message-center campaign reaches everybody with a contact, opted out or not, without a send"
    )
    func messageAlone() async throws {
        let world = try await ServiceWorld()
        let optedIn = try await ServiceDevice.registered(world, 1, token: "token1")
        let optedOut = try await world.optedOutDevice(2)
        let tokenless = try await ServiceDevice.registered(world, 3)
        try await world.makeFleet(4)
        let id = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()

        for device in [optedIn, optedOut, tokenless] {
            #expect(try await world.outcome(id, device) == "accepted")
            let inbox = try await world.inbox(device)
            #expect(inbox.map(\.campaign) == [id] && inbox.first?.state == .unread)
            #expect(
                inbox.first?.sentAt == ServiceWorld.epoch && inbox.first?.text.contains(#""subject":"News""#) == true)
        }
        #expect(try await world.delivery(id, ServiceWorld.client(4))?.reason == .noContact)
        #expect(world.transport.requests.isEmpty)
        let counts = try await world.counts(id)
        #expect(counts.audience == 4 && counts.accepted == 3 && counts.suppressed == 1)
        #expect(try await world.campaign(id).status == .completed)
    }

    @Test("MC-3: several devices of one contact share one message")
    func oneContact() async throws {
        let world = try await ServiceWorld()
        let phone = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let tablet = try await ServiceDevice.registered(world, 2, key: "anna", token: "token2")
        for push in [nil, ServiceWorld.content] as [PushContent?] {
            let id = try await world.launch(message: ServiceWorld.message, push: push)
            try await world.sendToTheEnd()
            #expect(try await world.outcome(id, phone) == "accepted")
            #expect(try await world.outcome(id, tablet) == "accepted")
        }
        #expect(try await world.rows("center_messages") == 2)
        let inboxes = [try await world.inbox(phone), try await world.inbox(tablet)]
        #expect(inboxes[0].count == 2 && inboxes[0] == inboxes[1])
    }

    @Test(
        "MC-3, MC-16: a push is kept for everybody in the audience, sent or not, rejected or not"
    )
    func keptPush() async throws {
        let world = try await ServiceWorld()
        let names = ["good", "gone", "slow"]
        var devices: [String: ServiceDevice] = [:]
        for (number, name) in names.enumerated() {
            devices[name] = try await ServiceDevice.registered(world, number + 1, token: name)
        }
        devices["optedOut"] = try await world.optedOutDevice(4)
        devices["tokenless"] = try await ServiceDevice.registered(world, 5)
        world.transport.answer("gone", .unregistered(since: nil))
        world.transport.answer("slow", .serverError, .silence, .accepted)
        let id = try await world.launch(message: MessageCenterContent(), push: ServiceWorld.content)
        try await world.sendToTheEnd()

        let outcomes = [
            "good": "accepted", "gone": "Unregistered", "slow": "accepted", "optedOut": "optedOut:user",
            "tokenless": "noToken",
        ]
        for (name, outcome) in outcomes {
            let device = try #require(devices[name])
            #expect(try await world.outcome(id, device) == outcome, "\(name)")
            #expect(try await world.inbox(device).count == 1, "\(name)")
        }
        // What the message does not say itself is as in the push.
        let good = try #require(devices["good"])
        #expect(try await world.inbox(good).first?.text.contains(#""subject":"Sale","message":"Only today""#) == true)
        #expect(world.transport.requests.allSatisfy { $0.sync == ["messageCenter"] && $0.isShown && $0.badge == nil })
        #expect(try await world.rows("center_messages") == 5)
    }

    @Test("MC-3, MC-4: the message is placed before the push about it")
    func before() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        world.transport.hold()
        let id = try await world.launch(message: ServiceWorld.message, push: ServiceWorld.content)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await world.dispatcher().runUntilIdle() }
            await world.transport.received(1)
            #expect(try await world.inbox(device).count == 1)
            #expect(try await world.outcome(id, device) == "pending")
            world.transport.release()
            try await group.waitForAll()
        }
        #expect(try await world.outcome(id, device) == "accepted")
    }

    @Test("CAMP-4: a message is rendered for its recipient's locale; if that fails, nothing is kept")
    func templates() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("firstName", type: .string, app: world.app)
        var devices: [ServiceDevice] = []
        for (number, name, locale) in [(1, "Anna", "en_US"), (2, "Zoé", "fr_FR"), (3, nil, "en_US")]
            as [(Int, String?, String)]
        {
            var device = try await ServiceDevice.started(world, number)
            try await device.register {
                $0.pushToken = "token\(number)"
                $0.locale = locale
                $0.attributes = name.map { ["firstName": .string($0)] } ?? [:]
            }
            devices.append(device)
        }
        try await world.process()
        let content = MessageCenterContent(
            subject: "Hello {{firstName}}", message: "Look", deeplinkUrl: "shop://{{firstName}}",
            badge: BadgeChange(op: .increment), variants: ["fr": MessageCenterVariant(subject: "Bonjour")]
        )
        let id = try await world.launch(message: content)
        try await world.sendToTheEnd()
        let bodies = try await [world.inbox(devices[0]), world.inbox(devices[1]), world.inbox(devices[2])]
        #expect(bodies[0].first?.text.contains(#""subject":"Hello Anna""#) == true)
        #expect(bodies[1].first?.text.contains(#""subject":"Bonjour""#) == true)
        #expect(bodies[1].first?.text.contains("Zo%25C3%25A9") == true)
        #expect(bodies[2].isEmpty)
        let suppressed = try await world.delivery(id, devices[2])
        #expect(suppressed?.reason == .renderError && suppressed?.note?.contains("firstName") == true)
        #expect(try await world.badge(devices[2].client) == .none)
        #expect(try await world.badge(devices[1].client).count == 1)
    }

    @Test("CAMP-4: if either the push or its message cannot be built, there is neither")
    func halfMade() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("firstName", type: .string, app: world.app)
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        let named = PushContent(title: "Hello {{firstName}}", body: "Look")
        let first = try await world.launch(message: ServiceWorld.message, push: named)
        let second = try await world.launch(
            message: MessageCenterContent(subject: "{{firstName}}"), push: ServiceWorld.content
        )
        try await world.sendToTheEnd()
        #expect(try await world.outcome(first, device) == "renderError")
        #expect(try await world.outcome(second, device) == "renderError")
        #expect(try await world.inbox(device).isEmpty && world.transport.requests.isEmpty)
    }

    @Test("CAMP-5, MC-8: at a local time each gets the message at their own, which is its sent time")
    func localTime() async throws {
        let world = try await ServiceWorld()
        var devices: [ServiceDevice] = []
        for (number, zone) in [(1, "Asia/Tokyo"), (2, "Europe/Paris"), (3, "America/New_York")] {
            var device = try await ServiceDevice.started(world, number)
            try await device.register { $0.timeZone = zone }
            devices.append(device)
        }
        try await world.process()
        let local = try #require(LocalDateTime("2026-11-22T09:00:00"))
        let id = try await world.launch(message: ServiceWorld.message, schedule: CampaignSchedule(localAt: local))
        // Tokyo's morning; then it rests over that of Paris.
        try await world.send(until: try #require(Timestamp.date("2026-11-22T00:00:00Z")))
        #expect(try await world.inbox(devices[0]).count == 1)
        #expect(try await world.inbox(devices[1]).isEmpty)
        _ = try await world.campaigns.life.pause(id, app: world.app)
        try await world.send(until: try #require(Timestamp.date("2026-11-22T10:00:00Z")))
        #expect(try await world.inbox(devices[1]).isEmpty)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await world.send(until: try #require(Timestamp.date("2026-11-22T10:00:00Z")))
        #expect(try await world.inbox(devices[1]).first?.sentAt == Timestamp.date("2026-11-22T08:00:00Z"))
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        try await world.send(until: try #require(Timestamp.date("2026-11-22T15:00:00Z")))
        #expect(try await world.inbox(devices[2]).isEmpty)
        #expect(try await world.inbox(devices[0]).first?.sentAt == Timestamp.date("2026-11-22T00:00:00Z"))
        let counts = try await world.counts(id)
        #expect(counts.accepted == 2 && counts.cancelled == 1 && counts.total == counts.audience)
    }

    @Test("MC-5, LED-1: a message that has expired by its turn is not placed, and no push about it is sent")
    func expired() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        var message = ServiceWorld.message
        message.expiresAt = ServiceWorld.epoch.addingTimeInterval(60)
        let alone = try await world.launch(message: message)
        let both = try await world.launch(message: message, push: ServiceWorld.content)
        for id in [alone, both] { _ = try await world.campaigns.life.pause(id, app: world.app) }
        world.clock.advance(by: 60)
        for id in [alone, both] { _ = try await world.campaigns.life.resume(id, app: world.app) }
        try await world.sendToTheEnd()
        #expect(try await world.outcome(alone, device) == "expired")
        #expect(try await world.outcome(both, device) == "expired")
        #expect(try await world.rows("center_messages") == 0 && world.transport.requests.isEmpty)
    }

    @Test("CAMP-2: a message-center campaign needs no credentials; a push does")
    func withoutCredentials() async throws {
        let world = try await ServiceWorld()
        let (app, _) = try await world.apps.create(code: "kiosk", name: "Kiosk")
        func launch(_ draft: CampaignDraft) async throws {
            let id = try await world.campaigns.drafts.create(draft, app: app).id
            _ = try await world.campaigns.life.launch(id, app: app)
        }
        try await launch(
            CampaignDraft(name: "News", kind: .messageCenter, audience: .everyone, messageCenter: ServiceWorld.message)
        )
        let code = await errorCode {
            try await launch(
                CampaignDraft(
                    name: "News", kind: .pushAndMessageCenter, audience: .everyone, push: ServiceWorld.content,
                    messageCenter: ServiceWorld.message
                )
            )
        }
        #expect(code == "conflict")
    }

    @Test("CAMP-7: a dry run agrees with the launch; a test places a message of its own and changes no badge")
    func trials() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        _ = try await world.optedOutDevice(2)
        try await world.makeFleet(3)
        var message = ServiceWorld.message
        message.badge = BadgeChange(op: .increment)
        for push in [nil, ServiceWorld.content] as [PushContent?] {
            let draft = CampaignDraft(
                name: "News", kind: push == nil ? .messageCenter : .pushAndMessageCenter, audience: .everyone,
                push: push, messageCenter: message
            )
            let id = try await world.campaigns.drafts.create(draft, app: world.app).id
            let run = try await world.campaigns.previews.dryRun(id, app: world.app)
            if push == nil {
                #expect(run.wouldSend == 2 && run.suppressed == [.noContact: 1])
            } else {
                #expect(run.wouldSend == 2 && run.suppressed == [.optedOut(.user): 1])
            }
            let results = try await world.campaigns.tests.test(id, devices: [device.client.rawValue], app: world.app)
            #expect(results.map(\.state) == [push == nil ? .pending : .accepted])
            try await world.sendToTheEnd()
            #expect(try await world.rows("center_messages", where: "campaign_id = \(id.number)") == 0)
            #expect(try await world.rows("center_messages") == 1)
            #expect(try await world.badge(device.client) == .none)
            _ = try await world.campaigns.life.launch(id, app: world.app)
            try await world.sendToTheEnd()
            #expect(try await world.counts(id).accepted == run.wouldSend)
            _ = try await world.database.write { try $0.execute("DELETE FROM center_messages") }
            _ = try await world.database.write { try $0.execute("DELETE FROM badges") }
        }
    }
}

extension MessageCenterMessageRow {
    fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
