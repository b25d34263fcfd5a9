import BelfryAPI
import BelfryModel
import BelfryTestSupport
import Foundation
import Hummingbird
import Testing

/// An app is not updated with its server: what the SDK of version 0.1.0 sent (commit 6926338e), today's server answers so
/// that it understands.
@Suite("The SDK of version 0.1.0")
struct FormerSDKTests {
    private typealias Answers = FormerSDKAnswers

    /// Makes what the app of the conversation has on the server, and runs a story.
    private func run(over way: ServerWay, _ story: @Sendable (TestServer, inout FormerSDK) async throws -> Void)
        async throws
    {
        try await TestServer.run(over: way) { server in
            try await server.makeApp()
            let defined = try await server.admin(.put, "/apps/shop/attributes/city", #"{"type":"string"}"#)
            #expect(defined.status == .ok)
            var sdk = try FormerSDK(server)
            try await story(server, &sdk)
        }
    }

    /// The calls of a first start, and the login of a person.
    private static func start(_ sdk: inout FormerSDK) async throws {
        try await sdk.send("properties").expectNothing("properties")
        let nobody = try await sdk.send("link to nobody").read(Answers.ContactLink.self, "link to nobody")
        keep(nobody, in: &sdk)
        sdk.keep(nobody.contactReference, as: "formerReference")
        try await sdk.send("push token").expectNothing("push token")
        let first = try await sdk.send("first registration").read(Answers.Registration.self, "first registration")
        #expect(first.registrationId == "0E6E3B0B-3C0E-4B43-8B63-5F4A8C0B1D01" && first.revision == 1)
        let anna = try await sdk.send("link to anna").read(Answers.ContactLink.self, "link to anna")
        keep(anna, in: &sdk)
        #expect(!anna.contactReference.isEmpty && anna.contactReference != nobody.contactReference)
        let second = try await sdk.send("registration of anna").read(Answers.Registration.self, "registration of anna")
        #expect(second.registrationId == "0E6E3B0B-3C0E-4B43-8B63-5F4A8C0B1D02" && second.revision == 2)
    }

    private static func keep(_ link: Answers.ContactLink, in sdk: inout FormerSDK) {
        #expect(!link.contactToken.isEmpty && !link.refreshToken.isEmpty)
        sdk.keep(link.contactToken, as: "contactToken")
        sdk.keep(link.refreshToken, as: "refreshToken")
    }

    /// Uploads what the SDK has tracked. It takes a success for stored, but for what the body names as rejected.
    private static func upload(_ name: String, _ sdk: inout FormerSDK) async throws {
        let answer = try await sdk.send(name)
        try answer.expectNothing(name)
        guard answer.body.readableBytes > 0 else { return }
        let rejected = try answer.json(Answers.EventBatch.self).rejected ?? []
        #expect(rejected.isEmpty, "\(name): \(rejected)")
    }

    private static func app(_ server: TestServer) -> TestDevice {
        var device = TestDevice(server)
        device.id = FormerSDK.device
        return device
    }

    @Test(
        "WIRE-1, WIRE-2, WIRE-3, WIRE-5, WIRE-7: it links, registers and logs somebody in",
        .timeLimit(.minutes(15)), arguments: [ServerWay.router, .lane]
    )
    func registers(over way: ServerWay) async throws {
        try await run(over: way) { server, sdk in
            try await Self.start(&sdk)
            _ = try await server.registrations.processWaiting()
            let device = try await server.device(FormerSDK.device)
            #expect(device.contactKey == "anna" && device.pushToken != nil)
            let contact = try await server.admin(.get, "/apps/shop/contacts/anna").json(ContactResponse.self)
            let city: [String: AttributeValue] = ["city": "Berlin"]
            #expect(contact.attributes == city && contact.tags == ["news"])
            try await sdk.send("push token withdrawn").expectNothing("push token withdrawn")
            let later = try await server.device(FormerSDK.device)
            #expect(later.pushToken == nil)
        }
    }

    @Test(
        "WIRE-6: its events are stored, also those of whom was there before",
        .timeLimit(.minutes(15)), arguments: [ServerWay.router, .lane]
    )
    func tracks(over way: ServerWay) async throws {
        try await run(over: way) { server, sdk in
            try await Self.start(&sdk)
            try await Self.upload("events of nobody", &sdk)
            try await Self.upload("events of anna", &sdk)
            let events = try await Self.app(server).events()
            let names: Set = ["app:start", "session:start", "screen", "purchase"]
            #expect(Set(events.map(\.name)) == names)
            let found = events.first { $0.name == "purchase" }
            let purchase = try #require(found)
            let attributes: [String: AttributeValue] = [
                "total": 12.5, "first": true, "note": #"a "gift" \ a/b"#, "items": 3,
            ]
            #expect(purchase.attributes == attributes)
        }
    }

    @Test(
        "WIRE-10, WIRE-11, WIRE-12, WIRE-15: it reads the message centers, a rich message and the badge",
        .timeLimit(.minutes(15)), arguments: [ServerWay.router, .lane]
    )
    func centers(over way: ServerWay) async throws {
        try await run(over: way) { server, sdk in
            try await Self.start(&sdk)
            let html = "<p>rich</p>"
            var kept = TestMessage(at: server.clock.now, html: html)
            kept.custom = ["number": 7]
            kept.deeplinkURL = "shop://cart?a=b"
            kept.expiresAt = server.clock.now.addingTimeInterval(86_400)
            try await server.keep(kept, for: Self.app(server))
            let all = try await sdk.send("message centers").read(Answers.Centers.self, "message centers")
            let found = all.messageCenters.first { $0.name == "Primary" }
            let primary = try #require(found)
            let message = try #require(primary.messages.first)
            #expect(primary.messages.count == 1 && message.center == "Primary" && message.subject == "Hello")
            #expect(message.sentAt == Timestamp.text(server.clock.now))
            #expect(message.expiresAt.flatMap(Timestamp.date) == kept.expiresAt)
            #expect(message.deeplinkURL.flatMap(WireURL.decoded) == kept.deeplinkURL)
            #expect(message.hasRichContent == true && message.state == .unread)
            let custom: [String: JSONValue] = ["number": .number(7)]
            #expect(message.custom == custom)
            sdk.keep(message.id, as: "message")
            let one = try await sdk.send("one message center").read(Answers.CenterMessages.self, "one message center")
            #expect(one.messages.map(\.id) == [message.id])
            let rich = try await sdk.send("rich content").read(Answers.RichContent.self, "rich content")
            #expect(rich.id == message.id && rich.html == html)
            try await sdk.send("message read").expectNothing("message read")
            try await Self.upload("message opened", &sdk)
            let again = try await sdk.send("message centers").read(Answers.Centers.self, "message centers")
            let states = again.messageCenters.flatMap(\.messages).map(\.state)
            let read: [Answers.Message.State?] = [.read]
            #expect(states == read)

            let badge = try await sdk.send("badge").read(Answers.Badge.self, "badge")
            #expect(all.badge?.revision == badge.revision)
            sdk.keep(String(badge.revision), as: "badgeRevision")
            let set = try await sdk.send("badge set").read(Answers.Badge.self, "badge set")
            #expect(set.count == 3 && set.revision > badge.revision)
        }
    }

    @Test(
        "WIRE-9, IAM-9: it downloads an in-app message, and its reports are counted",
        .timeLimit(.minutes(15)), arguments: [ServerWay.router, .lane]
    )
    func inApp(over way: ServerWay) async throws {
        try await run(over: way) { server, sdk in
            try await Self.start(&sdk)
            let filter = #"{"attribute":"total","op":">","value":10}"#
            let draft = #"""
                {"name":"Sale","kind":"inApp","audience":{"everyone":true},"inApp":
                 {"type":"modal","trigger":{"event":"purchase","where":\#(filter)},
                  "content":{"title":"Sale","buttons":[{"id":"go","text":"Go","action":{"type":"close"}}]}}}
                """#
            let id = try await server.admin(.post, "/apps/shop/campaigns", draft).json(CampaignStatusResponse.self).id
            let launched = try await server.admin(.post, "/apps/shop/campaigns/\(id)/launch")
            #expect(launched.status == .accepted)
            let first = try await sdk.send("first in-app sync").read(Answers.InAppSync.self, "first in-app sync")
            let message = try #require(first.messages.first)
            #expect(first.messages.count == 1 && first.recalled.isEmpty && !first.cursor.isEmpty)
            // A longer one it would not keep.
            #expect(first.cursor.utf8.count <= 8_192)
            #expect(message.campaignId == id && message.version == 1 && message.type == .modal)
            let known = try JSONValue(json: filter)
            #expect(message.trigger?.event == "purchase" && message.trigger?.filter == known)
            #expect(message.content.title == "Sale" && message.content.buttons?.first?.action.type == .close)
            sdk.keep(first.cursor, as: "cursor")
            sdk.keep(message.campaignId, as: "inAppCampaign")
            sdk.keep(message.id, as: "inAppMessage")
            let second = try await sdk.send("in-app sync").read(Answers.InAppSync.self, "in-app sync")
            #expect(second.messages.isEmpty && second.recalled.isEmpty && !second.cursor.isEmpty)
            try await Self.upload("in-app message seen", &sdk)
            let campaign = try await server.admin(.get, "/apps/shop/campaigns/\(id)").json(CampaignResponse.self)
            #expect(campaign.inAppCounts?.downloaded == 1 && campaign.inAppCounts?.displays == 1)
            #expect(campaign.inAppCounts?.clicksByButton == ["go": 1])
        }
    }

    @Test(
        "WIRE-4, WIRE-22, WIRE-23: an expired token it renews, and an unknown one makes it register anew",
        .timeLimit(.minutes(15)), arguments: [ServerWay.router, .lane]
    )
    func renews(over way: ServerWay) async throws {
        try await run(over: way) { server, sdk in
            try await Self.start(&sdk)
            server.clock.advance(by: 9 * 3_600)
            let expired = try await sdk.send("badge")
            #expect(expired.status == .unauthorized)
            // Without a code it would not renew anything.
            let failure = try expired.json(Answers.Failure.self).error
            #expect(!failure.code.isEmpty && failure.code != "unknownApp")
            let renewed = try await sdk.send("token renewed").read(Answers.ContactToken.self, "token renewed")
            sdk.keep(renewed.contactToken, as: "contactToken")
            let badge = try await sdk.send("badge").read(Answers.Badge.self, "badge")
            #expect(badge.count == 0)
            sdk.keep("unknown", as: "refreshToken")
            let forgotten = try await sdk.send("token renewed")
            #expect(forgotten.status == .badRequest)
            let reason = try forgotten.json(Answers.Failure.self).error
            #expect(reason.code == "1101")
        }
    }
}
