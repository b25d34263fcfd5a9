import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("CON-5, CON-8: what helps to compose, and what a contact sees")
struct DraftPreviewTests {
    private static func draft(_ title: String, kind: CampaignKind = .push) -> CampaignDraft {
        var draft = CampaignDraft(name: "N", kind: kind, audience: .everyone)
        draft.push = PushContent(title: title, body: "B")
        draft.push?.variants = ["de": PushVariant(title: "Hallo {{city}}")]
        return draft
    }

    @Test("CON-5: a draft is shown to a contact with their values, to an invented person, and to one with few values")
    func persons() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var device = try await ServiceDevice.started(world, 1)
        try await device.tell(["city": "Paris"], key: "ann", tags: [])
        try await device.identify("ann")
        let draft = Self.draft("Hello {{city}} {{contact.key}}")
        func title(_ person: PreviewPerson, _ locale: String? = nil) async throws -> String? {
            try await world.campaigns.draftPreviews.preview(of: draft, as: person, locale: locale, app: world.app).push?
                .title
        }
        #expect(try await title(.contact("ann")) == "Hello Paris ann")
        #expect(try await title(.contact("ann"), "de-AT") == "Hallo Paris")
        #expect(try await title(.invented(["city": "Rome"])) == "Hello Rome ann@example.com")
        let few = try await world.campaigns.draftPreviews.preview(
            of: draft, as: .knownBy(["city": "Rome"]), app: world.app)
        #expect(few.problem != nil && few.push?.title == "Hello {{city}} {{contact.key}}")
        #expect(few.values.map(\.name) == ["city", "contact.key"] && few.values.map(\.text) == ["Rome", nil])
        await #expect(throws: ServiceError.self) { try await title(.contact("nobody")) }
        let broken = try await world.campaigns.draftPreviews.preview(
            of: Self.draft("{{#if"), as: .invented([:]), app: world.app)
        #expect(broken.problem != nil && broken.push?.title == "{{#if")
        let kept = try await world.campaigns.draftPreviews.preview(
            of: Self.draft("Hello {{city}}", kind: .pushAndMessageCenter), as: .contact("ann"), app: world.app
        )
        #expect(kept.message?.subject == "Hello Paris" && kept.push?.title == "Hello Paris")
    }

    /// Drafts that have more of something than a campaign may have.
    private static var excessive: [(draft: CampaignDraft, sentence: String)] {
        func draft(_ kind: CampaignKind, _ change: (inout CampaignDraft) -> Void) -> CampaignDraft {
            var draft = CampaignDraft(name: "N", kind: kind, audience: .everyone)
            change(&draft)
            return draft
        }
        func pairs(_ count: Int) -> [String: AttributeValue] {
            Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", .string("a{{device.locale}}")) })
        }
        let text = "{{device.locale}}"
        let action = InAppAction(type: .close)
        let push = PushContent(title: text, body: "B")
        return [
            (
                draft(.push) { draft in
                    draft.push = push
                    draft.push?.custom = pairs(32_000)
                }, "A notification has at most 4096 bytes, so its pairs do not fit into it."
            ),
            (
                draft(.push) { draft in
                    draft.push = push
                    let buttons = (0..<5).map { NotificationButton(id: "\($0)", text: text) }
                    draft.push?.variants = ["de": PushVariant(buttons: buttons)]
                }, "A notification has at most 4 buttons."
            ),
            (
                draft(.push) { draft in
                    draft.push = push
                    draft.push?.defaults = Dictionary(uniqueKeysWithValues: (0..<101).map { ("a\($0)", "b") })
                }, "A content has at most 100 defaults."
            ),
            (
                draft(.messageCenter) { draft in
                    draft.messageCenter = MessageCenterContent(subject: text, message: "m", custom: pairs(32_000))
                }, "The pairs have at most 8192 bytes as JSON."
            ),
            (
                draft(.inApp) { draft in
                    let buttons = (0..<6).map { InAppButton(id: "\($0)", text: text, action: action) }
                    draft.inApp = InAppDraft(
                        type: .modal, trigger: InAppTrigger(event: "a"),
                        content: InAppContent(title: text, buttons: buttons)
                    )
                }, "A message has at most 5 buttons."
            ),
            (
                draft(.inApp) { draft in
                    draft.inApp = InAppDraft(
                        type: .action, trigger: InAppTrigger(event: "a"),
                        content: InAppContent(actions: Array(repeating: action, count: 11))
                    )
                }, "A message has at most 10 actions."
            ),
        ]
    }

    @Test("SEC-2: of a draft with more pairs, buttons or actions than a campaign may have nothing is rendered")
    func excess() async throws {
        let world = try await ServiceWorld()
        let locale = String(repeating: "x", count: 1_000)
        for (draft, sentence) in Self.excessive {
            let shown = try await world.campaigns.draftPreviews.preview(
                of: draft, as: .invented(["device.locale": locale]), locale: "de", app: world.app
            )
            #expect(shown.problem == sentence)
            #expect(shown.values.isEmpty, "\(sentence)")
            let texts = [shown.push?.title, shown.message?.subject, shown.inApp?.title].compactMap(\.self)
            #expect(texts.allSatisfy { text in text == "{{device.locale}}" }, "\(sentence)")
        }
    }

    @Test("SEC-2: a draft whose texts become very long with a person's values says so, and is shown with its templates")
    func longTexts() async throws {
        let world = try await ServiceWorld()
        let pairs = (0..<800).map { ("\($0)", AttributeValue.string("{{device.locale}}")) }
        var draft = Self.draft("Hello")
        draft.push?.variants = nil
        draft.push?.custom = Dictionary(uniqueKeysWithValues: pairs)
        let shown = try await world.campaigns.draftPreviews.preview(
            of: draft, as: .invented(["device.locale": String(repeating: "x", count: 10_000)]), app: world.app
        )
        #expect(shown.problem?.contains("more than 4194304 bytes together") == true)
        #expect(shown.push?.custom?["0"] == "{{device.locale}}")
    }

    @Test("CON-5: a sample has each person once with their values, and the clocks of an audience are counted")
    func sample() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        for number in 1...3 {
            var device = try await ServiceDevice.started(world, number)
            try await device.tell(["city": number < 3 ? "Paris" : "Rome"], key: number < 3 ? "ann" : "bert", tags: [])
            try await device.identify(number < 3 ? "ann" : "bert")
            let (client, zone) = (device.client.rawValue, number == 3 ? nil : "Asia/Tokyo")
            let app = world.app.id
            try await world.database.write { connection in
                _ = try connection.execute(
                    "UPDATE devices SET time_zone = ? WHERE client_id = ?", [.optional(zone), .text(client)]
                )
                try connection.audiences.rebuild(app: app)
            }
        }
        let people = try await world.campaigns.audiences.people(
            of: .everyone, attributes: ["city", "gone"], app: world.app)
        #expect(people.map(\.key) == ["ann", "bert"])
        #expect(people.map { $0.values.map(\.text) } == [["Paris"], ["Rome"]])
        let zones = try await world.campaigns.audiences.zones(of: .everyone, app: world.app)
        #expect(zones.map(\.zone) == ["Asia/Tokyo", nil] && zones.map(\.devices) == [2, 1])
        let few = Condition.attribute("city", .equal("Rome"))
        #expect(try await world.campaigns.audiences.zones(of: few, app: world.app).map(\.devices) == [1])
        let event = Condition.event(EventClause(name: "never"))
        #expect(try await world.campaigns.audiences.zones(of: event, app: world.app).isEmpty)
        await #expect(throws: ServiceError.self) {
            try await world.campaigns.audiences.zones(of: .attribute("gone", .exists(true)), app: world.app)
        }
    }

    @Test("CON-8: a center lists its campaigns with their messages, and a contact's inbox is what devices fetch")
    func centers() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.registered(world, 1, key: "ann", token: "token1")
        _ = try await ServiceDevice.registered(world, 2, key: "bert", token: "token2")
        let centers = MessageCenterService(database: world.database, environment: world.environment)
        _ = try await centers.save("Offers", MessageCenterService.Change(), app: world.app)
        var ids: [CampaignID] = []
        for center in [nil, "Offers", "Offers"] {
            var message = ServiceWorld.message
            message.center = center
            ids.append(try await world.launch(message: message))
        }
        try await world.sendToTheEnd()
        let offers = try MessageCenterName("Offers")
        #expect(try await centers.campaignCounts(of: world.app) == [.primary: 1, offers: 2])
        let first = try await centers.campaigns(in: "Offers", app: world.app, before: nil, limit: 1)
        #expect(first.campaigns.map(\.campaign.id) == [ids[2]] && first.campaigns.map(\.messages) == [2])
        let second = try await centers.campaigns(in: "Offers", app: world.app, before: first.next, limit: 1)
        #expect(second.campaigns.map(\.campaign.id) == [ids[1]])
        let placed = PlacedMessageService(database: world.database, environment: world.environment)
        try await placed.recall(ids[2], fromContact: "ann", app: world.app)
        let inbox = try await placed.inbox(ofContact: "ann", app: world.app)
        #expect(inbox.centers.map { $0.messages.map(\.campaign) } == [[ids[0]], [ids[1]]])
        #expect(inbox.centers[0].messages.map(\.subject) == ["News"] && inbox.badges.map(\.count) == [0])
    }
}
