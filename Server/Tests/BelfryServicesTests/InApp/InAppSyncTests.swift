import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// What brings a message to a device, and what takes it away again (WIRE-9).
struct InAppSyncTests {
    private static let inParis = Condition.attribute("city", .equal("Paris"))

    /// A device of Anna's that has asked once, some time ago.
    private static func phone(_ world: ServiceWorld, _ number: Int = 1, key: String = "anna") async throws -> InAppPhone
    {
        var phone = InAppPhone(try await ServiceDevice.started(world, number))
        try await phone.device.identify(key)
        world.clock.advance(by: 5)
        try await phone.sync()
        return phone
    }

    @Test("IAM-1, WIRE-9: a published message is downloaded once, rendered for its recipient")
    func published() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var phone = try await Self.phone(world)
        try await phone.device.tell(["city": "Paris"])
        var message = ServiceWorld.modal("Hello {{city}}", endsAt: ServiceWorld.epoch.addingTimeInterval(86_400))
        message.displayLimit = 3
        let id = try await world.offer(message)
        let response = try await phone.sync()
        let got = try #require(response.messages.first)
        #expect(response.messages.count == 1 && response.recalled.isEmpty)
        #expect(got.id == MessageID.make(campaign: id, device: phone.device.client))
        #expect(got.campaign == id && got.version == 1 && got.displayCount == 0 && got.displayEpoch == 0)
        #expect(got.draft.content.title == "Hello Paris")
        #expect(
            got.draft.displayLimit == 3 && got.draft.endsAt == message.endsAt && got.draft.trigger == message.trigger)
        #expect(try await world.delivery(id, phone.device)?.state == .accepted)
        #expect(try await world.copy(id, phone.device)?.version == 1)
        let again = try await phone.sync()
        #expect(again.messages.isEmpty && again.recalled.isEmpty)
    }

    @Test("CAMP-4: a message that cannot be rendered is suppressed with its reason, until it can be")
    func unmakeable() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var phone = try await Self.phone(world)
        let other = try await world.offer(ServiceWorld.modal("Plain"))
        let id = try await world.offer(ServiceWorld.modal("Hello {{city}}"))
        #expect(try await phone.sync().messages.map(\.campaign) == [other])
        let row = try #require(try await world.delivery(id, phone.device))
        #expect(row.state == .suppressed && row.reason == .renderError)
        #expect(row.note == "title: There is no value for {{city}}, and no default.")
        try await phone.device.tell(["city": "Paris"])
        #expect(try await phone.sync().messages.map(\.campaign) == [id])
        #expect(try await world.delivery(id, phone.device)?.state == .accepted)
        #expect(try await world.delivery(id, phone.device)?.reason == nil)
        // An edit that cannot be made for its recipient: the old text is not meant any more.
        try await world.edit(id) { $0.inApp?.content.title = "{{device.timeZone}}" }
        let edited = try await phone.sync()
        #expect(
            edited.messages.isEmpty && edited.recalled == [MessageID.make(campaign: id, device: phone.device.client)])
        #expect(try await world.delivery(id, phone.device)?.state == .accepted)
    }

    @Test(
        "SEC-8, WIRE-9: what is too large for one response comes with the next ones, and an old version stays until then"
    )
    func inParts() async throws {
        let world = try await ServiceWorld()
        var phone = try await Self.phone(world)
        let page = "<p>" + String(repeating: "x", count: 262_000) + "</p>"
        var draft = ServiceWorld.modal()
        draft.type = .html
        draft.content = InAppContent(html: page)
        var all: Set<CampaignID> = []
        for _ in 0..<35 { all.insert(try await world.offer(draft)) }
        var parts: [[CampaignID]] = []
        repeat {
            let response = try await phone.sync()
            #expect(response.recalled.isEmpty)
            parts.append(response.messages.map(\.campaign))
            #expect(response.messages.count <= 17)
        } while parts.last?.isEmpty == false && parts.count < 10
        #expect(parts.map(\.count) == [17, 17, 1, 0])
        #expect(Set(parts.joined()) == all && parts.joined().count == all.count, "each once")
        // All are edited: what the device has not got anew yet it keeps as it is.
        for id in all { try await world.edit(id) { $0.inApp?.content.html = page + "!" } }
        for count in [17, 17, 1, 0] {
            let response = try await phone.sync()
            #expect(response.messages.count == count && response.recalled.isEmpty)
            #expect(phone.messages.count == all.count)
        }
        #expect(phone.messages.values.allSatisfy { $0.version == 2 })
    }

    @Test("IAM-1: recipients get the variant of their locale")
    func variants() async throws {
        let world = try await ServiceWorld()
        var message = ServiceWorld.modal()
        message.variants = ["fr": InAppVariant(title: "Soldes")]
        _ = try await world.offer(message)
        var phone = try await Self.phone(world)
        #expect(phone.messages.values.first?.draft.content.title == "Sale")
        #expect(phone.messages.values.first?.draft.variants == nil)
        var french = InAppPhone(try await ServiceDevice.started(world, 2))
        try await french.device.register { $0.locale = "fr_FR" }
        try await world.process()
        let draft = try #require(try await french.sync().messages.first?.draft)
        #expect(draft.content.title == "Soldes" && draft.content.body == "Only today")
        try await phone.sync()
    }

    @Test("IAM-1: a device that joins the audience gets the message, and loses it unseen when it leaves")
    func attributes() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var phone = try await Self.phone(world)
        let id = try await world.offer(audience: Self.inParis)
        #expect(try await phone.sync().messages.isEmpty)
        for round in 0..<2 {
            world.clock.advance(by: 10)
            try await phone.device.tell(["city": "Paris"])
            #expect(try await phone.sync().messages.map(\.campaign) == [id], "round \(round)")
            world.clock.advance(by: 10)
            try await phone.device.tell(["city": "Rome"])
            let response = try await phone.sync()
            #expect(response.recalled == [MessageID.make(campaign: id, device: phone.device.client)], "round \(round)")
            #expect(try await world.copy(id, phone.device)?.recalledAt == world.clock.now)
        }
        #expect(phone.messages.isEmpty)
        #expect(try await phone.sync().recalled.isEmpty)
    }

    @Test("IAM-1: tags, properties, opt-in and known or not count like attributes")
    func otherClauses() async throws {
        let world = try await ServiceWorld()
        var phone = InAppPhone(try await ServiceDevice.started(world, 1))
        try await phone.sync()
        let tagged = try await world.offer(audience: .tag("sports"))
        let known = try await world.offer(audience: .known(true))
        let old = try await world.offer(audience: .device(.appVersion, .equal("1.0")))
        let optedIn = try await world.offer(audience: .deviceFact(.pushOptIn, .equal(true)))
        world.clock.advance(by: 10)
        #expect(try await phone.sync().messages.isEmpty)
        try await phone.device.tell([:], tags: ["sports"])
        #expect(try await phone.sync().messages.map(\.campaign) == [tagged])
        world.clock.advance(by: 10)
        try await phone.device.register {
            $0.tags = ["sports"]
            $0.appVersion = "1.0"
        }
        try await world.process()
        #expect(try await phone.sync().messages.map(\.campaign) == [old])
        world.clock.advance(by: 10)
        try await phone.device.putToken("token1")
        #expect(try await phone.sync().messages.map(\.campaign) == [optedIn])
        world.clock.advance(by: 10)
        try await phone.device.deleteToken()
        #expect(try await phone.sync().recalled.count == 1)
        world.clock.advance(by: 10)
        try await phone.device.identify("anna")
        phone.purge()
        try await phone.sync()
        #expect(phone.messages[known] != nil)
        #expect(phone.messages[old] != nil)
    }

    @Test("CAMP-3, PERF-7: an audience that depends on events is evaluated each time")
    func events() async throws {
        let world = try await ServiceWorld()
        var phone = try await Self.phone(world)
        let bought = Condition.event(EventClause(name: "purchase", within: try ISODuration("P1D")))
        let id = try await world.offer(audience: bought)
        world.clock.advance(by: 10)
        #expect(try await phone.sync().messages.isEmpty)
        try await phone.device.track(.test("p1", EventName("purchase"), kind: .custom, at: world.clock.now))
        #expect(try await phone.quickAnswer() == nil)
        #expect(try await phone.sync().messages.map(\.campaign) == [id])
        world.clock.advance(by: 90_000)
        try await phone.device.refresh()
        #expect(try await phone.sync().recalled.count == 1)
    }

    @Test("ID-4: another contact of the device gets their own messages, with any cursor")
    func login() async throws {
        let world = try await ServiceWorld()
        var phone = try await Self.phone(world)
        let annas = try await world.offer(audience: .contactKeys(["anna"]))
        let all = try await world.offer()
        try await phone.sync()
        #expect(phone.versions == [annas: 1, all: 1])
        let cursor = phone.cursor
        world.clock.advance(by: 10)
        try await phone.device.linkAnonymously()
        phone.purge()
        #expect(try await phone.quickAnswer() == nil)
        try await phone.sync()
        #expect(phone.versions == [all: 1])
        // She comes back, and shows what she was given before: the server's, so it counts.
        world.clock.advance(by: 10)
        try await phone.device.identify("anna")
        phone.purge()
        phone.cursor = nil
        try await phone.sync()
        #expect(phone.versions == [annas: 1, all: 1])
        #expect(phone.cursor != cursor)
    }

    @Test("WIRE-9: another device's cursor, a forged one and an old one count as none")
    func foreignCursors() async throws {
        let world = try await ServiceWorld()
        let id = try await world.offer()
        var phone = try await Self.phone(world)
        let tablet = try await Self.phone(world, 2)
        #expect(phone.versions == [id: 1] && tablet.versions == [id: 1])
        let cursors = [
            tablet.cursor, nil, "", "forged", phone.cursor.map { String($0.dropLast(5)) },
            phone.cursor.map { "Ag" + $0.dropFirst(2) }, phone.cursor.map { $0 + "AAAA" },
        ]
        for cursor in cursors {
            phone.cursor = cursor
            let response = try await phone.sync()
            #expect(response.messages.map(\.campaign) == [id] && response.recalled.isEmpty, "\(cursor ?? "none")")
        }
    }

    @Test("WIRE-9: a lost response is sent again", arguments: [false, true])
    func lostAnswers(isRecall: Bool) async throws {
        let world = try await ServiceWorld()
        var phone = try await Self.phone(world)
        let id = try await world.offer()
        if isRecall {
            try await phone.sync()
            _ = try await world.campaigns.life.recall(id, app: world.app)
        }
        for _ in 0..<3 {
            world.clock.advance(by: 10)
            let response = try await phone.sync(isLost: true)
            #expect(response.messages.count == (isRecall ? 0 : 1) && response.recalled.count == (isRecall ? 1 : 0))
        }
        try await phone.sync()
        #expect(phone.versions == (isRecall ? [:] : [id: 1]))
        let quiet = try await phone.sync()
        #expect(quiet.messages.isEmpty && quiet.recalled.isEmpty)
    }
}
