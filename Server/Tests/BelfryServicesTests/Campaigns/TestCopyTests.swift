import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("Tests of campaigns that no push carries")
struct TestCopyTests {
    @Test("CAMP-7, CLI-7: a message is tried in the message center of named devices; the campaign stays untouched")
    func messageCenter() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: "ann")
        let other = try await ServiceDevice.registered(world, 2, key: "bert")
        let draft = CampaignDraft(
            name: "News", kind: .messageCenter, audience: .everyone,
            messageCenter: MessageCenterContent(subject: "News", message: "Today", badge: BadgeChange(op: .increment))
        )
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        for _ in 0..<2 {
            let results = try await world.campaigns.tests.test(id, devices: [device.client.rawValue], app: world.app)
            #expect(results.map(\.device) == [device.client.rawValue] && results.map(\.state) == [.pending])
            #expect(results[0].sentence.hasPrefix("The message is being placed in the message center 'Primary'"))
        }
        try await world.sendToTheEnd()
        // Each test is one message, and nobody else has any.
        let messages = try await world.inbox(device)
        #expect(messages.count == 2)
        let end = world.clock.now.addingTimeInterval(CampaignTester.testLifetime)
        #expect(messages.allSatisfy { $0.expiresAt.map { $0 <= end } ?? false })
        #expect(try await world.inbox(other) == [])
        #expect(try await world.badge(device.client) == .none, "a test changes no badge")
        #expect(try await world.counts(id) == CampaignCounts())
        #expect(try await world.campaigns.queries.list(app: world.app, before: nil, limit: 9).map(\.id) == [id])
        // The launch places its own.
        _ = try await world.campaigns.life.launch(id, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.inbox(device).count == 3)
        #expect(try await world.counts(id).accepted == 2)
    }

    @Test("CAMP-7: of a push with a message the push is sent, and the message placed as a launch would say it")
    func both() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: "ann", token: "token1")
        let draft = CampaignDraft(
            name: "News", kind: .pushAndMessageCenter, audience: .everyone, push: ServiceWorld.content,
            messageCenter: MessageCenterContent()
        )
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        let results = try await world.campaigns.tests.test(id, devices: [device.client.rawValue], app: world.app)
        #expect(results.map(\.state) == [.accepted])
        #expect(results[0].sentence.contains("accepted") && results[0].sentence.contains("being placed"))
        try await world.sendToTheEnd()
        let messages = try await world.inbox(device)
        #expect(messages.count == 1)
        #expect(String(decoding: messages[0].body, as: UTF8.self).contains(ServiceWorld.content.title))
        #expect(world.transport.requests.count == 1, "one push, and none beside the copy")
    }

    @Test("CAMP-7, CLI-7: an in-app message is tried on named devices for a day, whatever its audience and start")
    func inApp() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: "ann")
        let other = try await ServiceDevice.registered(world, 2, key: "bert")
        let draft = CampaignDraft(
            name: "Hello", kind: .inApp, audience: .tag("nobody"),
            inApp: InAppDraft(
                type: .modal, trigger: InAppTrigger(event: "session:start"),
                startsAt: world.clock.now.addingTimeInterval(86_400 * 30),
                content: InAppContent(title: "Hi {{contact.key}}")
            )
        )
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        let results = try await world.campaigns.tests.test(id, devices: [device.client.rawValue], app: world.app)
        #expect(results.map(\.state) == [.pending] && results[0].sentence.contains("in-app message"))
        let service = InAppService(database: world.database, keys: world.keys, environment: world.environment)
        let sync = try await service.sync(since: nil, for: device.authenticated()).value
        #expect(sync.messages.map(\.draft.content.title) == ["Hi ann"])
        #expect(sync.messages[0].draft.startsAt == nil)
        #expect(sync.messages[0].draft.endsAt == world.clock.now.addingTimeInterval(CampaignTester.testLifetime))
        #expect(try await service.sync(since: nil, for: other.authenticated()).value.messages.isEmpty)
        #expect(try await world.counts(id) == CampaignCounts())
    }

    @Test("CAMP-7, WIRE-20: of several installations with one id the newest alone gets what a test places")
    func sameID() async throws {
        let world = try await ServiceWorld()
        let first = try await ServiceDevice.registered(world, 1, key: "ann")
        world.clock.advance(by: 1)
        let newest = try await ServiceDevice.registered(world, 1, key: "bert")
        #expect(try await first.row.id != newest.row.id)
        for draft in [Self.kept, Self.shown] {
            let id = try await world.campaigns.drafts.create(draft, app: world.app).id
            let results = try await world.campaigns.tests.test(id, devices: [newest.client.rawValue], app: world.app)
            #expect(results.map(\.state) == [.pending])
        }
        try await world.sendToTheEnd()
        #expect(try await Self.messages(of: newest) == 1)
        #expect(try await Self.messages(of: first) == 0)
        let service = InAppService(database: world.database, keys: world.keys, environment: world.environment)
        for hours in [0.0, 1] {
            world.clock.advance(by: hours * 3_600)
            #expect(try await service.sync(since: nil, for: newest.authenticated()).value.messages.count == 1)
            #expect(try await service.sync(since: nil, for: first.authenticated()).value.messages.isEmpty)
        }
    }

    @Test("CAMP-4, CAMP-7: for whom the message cannot be made, a test sends no push either, as a launch does")
    func neither() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        let lost = try await ServiceDevice.registered(world, 1, key: "ann", token: "token1")
        var device = try await ServiceDevice.registered(world, 2, key: "bert", token: "token2")
        _ = try await device.register {
            $0.contactKey = "bert"
            $0.pushToken = "token2"
            $0.attributes = ["city": .string("Paris")]
        }
        try await world.process()
        var push = ServiceWorld.content
        push.action = NotificationAction(type: .openRichMessage)
        let draft = CampaignDraft(
            name: "News", kind: .pushAndMessageCenter, audience: .everyone, push: push,
            messageCenter: MessageCenterContent(richHtml: "<p>{{city}}</p>")
        )
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        let devices = [lost.client.rawValue, device.client.rawValue]
        let results = try await world.campaigns.tests.test(id, devices: devices, app: world.app)
        let result = results.first { $0.device == lost.client.rawValue }
        #expect(result?.state == .suppressed && result?.reason == .renderError)
        #expect(result?.sentence.contains("city") == true)
        let other = results.first { $0.device == device.client.rawValue }
        #expect(other?.state == .accepted && other?.sentence.contains("being placed") == true)
        try await world.sendToTheEnd()
        #expect(world.transport.requests.count == 1)
        #expect(try await Self.messages(of: lost) == 0)
        #expect(try await Self.messages(of: device) == 1)
        // The launch comes to the same.
        _ = try await world.campaigns.life.launch(id, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.outcome(id, lost) == "renderError")
        #expect(try await world.outcome(id, device) == "accepted")
        #expect(world.transport.requests.count == 2)
    }

    @Test("CAMP-7: a device without a contact, a message that cannot be rendered, a campaign that is over")
    func rejections() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        let nobody = try await world.makeFleet(1)[0]
        let device = try await ServiceDevice.registered(world, 2, key: "ann")
        let draft = CampaignDraft(
            name: "News", kind: .messageCenter, audience: .everyone,
            messageCenter: MessageCenterContent(subject: "To {{city}}", message: "Today")
        )
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        let before = try await world.rows("campaigns")
        let devices = [nobody.rawValue, device.client.rawValue]
        let results = try await world.campaigns.tests.test(id, devices: devices, app: world.app)
        #expect(results.map(\.state) == [.suppressed, .suppressed])
        #expect(results.map(\.reason) == [.noContact, .renderError])
        #expect(results[1].sentence.contains("city"))
        #expect(try await world.rows("campaigns") == before, "where nobody can have it, there is no copy")
        #expect(
            await errorCode { try await world.campaigns.tests.test(id, devices: ["unknown"], app: world.app) }
                == "notFound"
        )
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        #expect(
            await errorCode { try await world.campaigns.tests.test(id, devices: devices, app: world.app) }
                == "conflict"
        )
    }

    @Test("CAMP-7, CON-5: a test needs no approval, where the app asks for one of a launch")
    func approval() async throws {
        let world = try await ServiceWorld()
        try await world.askForApprovals()
        let device = try await ServiceDevice.registered(world, 1, key: "ann")
        for draft in [Self.kept, Self.shown] {
            let id = try await world.campaigns.drafts.create(draft, app: world.app).id
            let results = try await world.campaigns.tests.test(id, devices: [device.client.rawValue], app: world.app)
            #expect(results.map(\.state) == [.pending])
            #expect(
                await errorCode { try await world.campaigns.life.launch(id, app: world.app) } == "approvalRequired"
            )
        }
        try await world.sendToTheEnd()
        #expect(try await world.inbox(device).count == 1)
        let service = InAppService(database: world.database, keys: world.keys, environment: world.environment)
        #expect(try await service.sync(since: nil, for: device.authenticated()).value.messages.count == 1)
        #expect(try await world.rows("campaigns") == 4, "two drafts, and a copy of each")
    }

    @Test("CAMP-7, IAM-1: tests keep no campaign from its launch; they have a bound, and a refused one leaves nothing")
    func bound() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: "ann")
        let id = try await world.campaigns.drafts.create(Self.shown, app: world.app).id
        func test() async throws -> [TestSendResult] {
            try await world.campaigns.tests.test(id, devices: [device.client.rawValue], app: world.app)
        }
        for _ in 0..<InAppLimits.maximumActive { _ = try await test() }
        let before = try await world.rows("campaigns")
        #expect(await errorCode { try await test() } == "conflict")
        #expect(try await world.rows("campaigns") == before)
        #expect(try await world.campaigns.life.launch(id, app: world.app).status == .active)
        // When the copies have ended there is room again.
        world.clock.advance(by: CampaignTester.testLifetime + 1)
        await world.silentPushSender().runUntilIdle()
        #expect(try await test().map(\.state) == [.pending])
    }

    /// How many messages the contact of a device has.
    private static func messages(of device: ServiceDevice) async throws -> Int {
        let owner = try await device.row.contact
        let contact = try #require(owner)
        return try await device.world.database.read { try $0.centerMessages.count(of: contact) }
    }

    private static let kept = CampaignDraft(
        name: "News", kind: .messageCenter, audience: .everyone,
        messageCenter: MessageCenterContent(subject: "News", message: "Today")
    )

    private static let shown = CampaignDraft(
        name: "Hello", kind: .inApp, audience: .everyone,
        inApp: InAppDraft(
            type: .modal, trigger: InAppTrigger(event: "session:start"), content: InAppContent(title: "Hi")
        )
    )
}
