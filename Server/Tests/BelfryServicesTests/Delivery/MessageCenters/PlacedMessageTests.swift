import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// A marketer lists what was placed, and takes it back (MC-16).
struct PlacedMessageTests {
    private static func service(_ world: ServiceWorld) -> PlacedMessageService {
        PlacedMessageService(database: world.database, environment: world.environment)
    }

    @Test("MC-16: what a campaign has placed is listed page by page, and what a contact has, newest first")
    func lists() async throws {
        let world = try await ServiceWorld()
        let anna = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        _ = try await ServiceDevice.registered(world, 2, key: "bert", token: "token2")
        let nobody = try await ServiceDevice.started(world, 3)
        var ids: [CampaignID] = []
        for _ in 0..<3 { ids.append(try await world.launch(message: ServiceWorld.message)) }
        try await world.sendToTheEnd()
        let service = Self.service(world)
        var names: [String] = []
        var cursor: Int64?
        repeat {
            let page = try await service.messages(of: ids[0], app: world.app, after: cursor, limit: 2)
            #expect(page.messages.count <= 2)
            names += page.messages.compactMap { $0.row.contactKey ?? $0.row.client }
            cursor = page.next
        } while cursor != nil
        #expect(names == [nobody.client.rawValue, "anna", "bert"])
        let first = try await service.messages(ofContact: "anna", app: world.app, before: nil, limit: 2)
        let second = try await service.messages(ofContact: "anna", app: world.app, before: first.next, limit: 2)
        #expect((first.messages + second.messages).map(\.row.campaign) == ids.reversed() && second.next == nil)
        #expect(first.messages.first?.id.text == (try await world.messageID(ids[2], anna)))
        let key = try #require(try await nobody.contactKey)
        let own = try await service.messages(ofContact: key, app: world.app, before: nil, limit: 9)
        #expect(own.messages.map(\.row.client) == Array(repeating: nobody.client.rawValue, count: 3))
    }

    @Test("MC-16: a message is recalled from one contact on all its devices, is not placed again, and others keep it")
    func fromContact() async throws {
        let world = try await ServiceWorld()
        let phone = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let tablet = try await ServiceDevice.registered(world, 2, key: "anna", token: "token2")
        let bert = try await ServiceDevice.registered(world, 3, key: "bert", token: "token3")
        world.transport.answer("token1", .serverError, .accepted)
        let id = try await world.launch(message: ServiceWorld.message, push: ServiceWorld.content)
        await world.dispatcher().runUntilIdle()
        let service = Self.service(world)
        for _ in 0..<2 { try await service.recall(id, fromContact: "anna", app: world.app) }
        try await world.sendToTheEnd()
        for device in [phone, tablet] { #expect(try await world.inbox(device).isEmpty) }
        #expect(try await world.inbox(bert).count == 1)
        let listed = try await service.messages(ofContact: "anna", app: world.app, before: nil, limit: 9).messages
        #expect(listed.map(\.row.state) == [.deleted] && listed.first?.row.recalledAt != nil)
        let explanation = try await world.explainer.explain(id, device: phone.client.rawValue, app: world.app)
        #expect(explanation.sentence.contains("was recalled"))
        let unknown = try #require(CampaignID(99 as Int64))
        for (campaign, key) in [(unknown, "anna"), (id, "nobody")] {
            let code = await errorCode { try await service.recall(campaign, fromContact: key, app: world.app) }
            #expect(code == "notFound")
        }
    }

    @Test(
        "SEC-2, CON-8: what the devices of an anonymous contact show is bounded in bytes, newest first",
        arguments: Engine.ofEachRun)
    func manyInboxes(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let device = try await ServiceDevice.started(world, 100)
        _ = try await world.makeFleet(15)
        let (app, now, own) = (world.app.id, world.clock.now, try await device.row)
        let (contact, key) = (try #require(own.contact), try #require(try await device.contactKey))
        let text = String(repeating: "x", count: 16_000)
        try await world.database.write { connection in
            try connection.execute("UPDATE devices SET contact_id = ?", [.integer(contact)])
            let devices = try connection.devices.outlines(ofContact: contact, limit: 100)
            for (place, device) in devices.enumerated() {
                let holder = MessageHolder.installation(device.id).number
                let messages = try (1...20).map { number in
                    KeptMessage(
                        contact: holder, center: .primary, sentAt: now.addingTimeInterval(Double(number * 100 + place)),
                        campaign: try #require(CampaignID(Int64(number))), app: app,
                        body: #""subject":"S","message":"\#(text)""#
                    )
                }
                try connection.centerMessages.keep(messages)
            }
        }
        let service = Self.service(world)
        let inbox = try await service.inbox(ofContact: key, app: world.app)
        let shown = inbox.centers.flatMap(\.messages)
        // A whole inbox at least, and no more than there is room for.
        let bytes = shown.reduce(0) { $0 + $1.text.utf8.count }
        #expect(inbox.hasMore && shown.count > 20 && bytes <= 4 << 20)
        #expect(shown.map(\.sentAt) == shown.map(\.sentAt).sorted(by: >))
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE devices SET contact_id = NULL WHERE id <> ?", [.integer(own.id)])
        }
        let one = try await service.inbox(ofContact: key, app: world.app)
        #expect(!one.hasMore && one.centers.flatMap(\.messages).count == 20)
    }

    @Test("MC-16: a campaign's messages are recalled from everybody, placed ones and those still to be placed")
    func fromEverybody() async throws {
        let world = try await ServiceWorld()
        var devices: [ServiceDevice] = []
        for (number, zone) in [(1, "Asia/Tokyo"), (2, "America/New_York")] {
            var device = try await ServiceDevice.started(world, number)
            try await device.register {
                $0.pushToken = "token\(number)"
                $0.timeZone = zone
            }
            devices.append(device)
        }
        try await world.process()
        let local = try #require(LocalDateTime("2026-11-22T09:00:00"))
        let schedule = CampaignSchedule(localAt: local)
        let alone = try await world.launch(message: ServiceWorld.message, schedule: schedule)
        let both = try await world.launch(
            message: ServiceWorld.message, push: ServiceWorld.content, schedule: schedule
        )
        let kept = try await world.launch(message: ServiceWorld.message)
        try await world.send(until: try #require(Timestamp.date("2026-11-22T00:00:00Z")))
        #expect(try await world.inbox(devices[0]).count == 3)
        for id in [alone, both] {
            for _ in 0..<2 { #expect(try await world.campaigns.life.recall(id, app: world.app).recalledAt != nil) }
        }
        try await world.sendToTheEnd()
        for device in devices { #expect(try await world.inbox(device).map(\.campaign) == [kept]) }
        #expect(try await world.outcome(alone, devices[0]) == "accepted")
        #expect(try await world.outcome(alone, devices[1]) == "recalled")
        // Its pushes are still sent.
        #expect(try await world.outcome(both, devices[1]) == "accepted")
        #expect(world.transport.requests.count == 2)
        let push = try await world.campaigns.drafts.create(
            CampaignDraft(name: "Push", kind: .push, audience: .everyone, push: ServiceWorld.content), app: world.app
        ).id
        let draft = try await world.campaigns.drafts.create(
            CampaignDraft(
                name: "Draft", kind: .messageCenter, audience: .everyone, messageCenter: ServiceWorld.message
            ), app: world.app
        ).id
        for id in [push, draft] {
            let code = await errorCode { try await world.campaigns.life.recall(id, app: world.app) }
            #expect(code == "conflict")
        }
    }
}
