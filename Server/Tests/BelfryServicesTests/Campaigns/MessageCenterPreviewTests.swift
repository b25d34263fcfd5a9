import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// Previews, dry runs and launches of campaigns that keep a message.
struct MessageCenterPreviewTests {
    /// Anna, Ben who is opted out and French, one without a name, and a device without a contact.
    private static func world() async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("firstName", type: .string, app: world.app)
        for (number, name, locale) in [(1, "Anna", nil), (2, "<Ben>", "fr_FR"), (3, nil, nil)]
            as [(Int, String?, String?)]
        {
            var device = try await ServiceDevice.started(world, number)
            try await device.register {
                $0.pushToken = "token\(number)"
                $0.pushEnabled = number != 2
                $0.locale = locale
                $0.attributes = name.map { ["firstName": .string($0)] } ?? [:]
            }
        }
        try await world.process()
        let (app, now) = (world.app.id, world.clock.now)
        try await world.database.write { connection in
            let client = try ServiceWorld.client(4)
            var device = try connection.devices.findOrInsert(app: app, client: client, now: now)
            device.pushToken = try PushToken("token4", provider: .apns, environment: .production)
            try connection.devices.save(device)
        }
        return world
    }

    private static func draft(_ kind: CampaignKind = .messageCenter) -> CampaignDraft {
        CampaignDraft(
            name: "Sale", kind: kind, audience: .everyone,
            push: kind == .messageCenter ? nil : PushContent(title: "Hello", body: "Look"),
            messageCenter: MessageCenterContent(
                subject: "Hello {{firstName}}", message: "Look", richHtml: "<p>{{firstName}}</p>",
                badge: BadgeChange(op: .increment),
                variants: ["fr": MessageCenterVariant(subject: "Salut {{firstName}}")]
            )
        )
    }

    @Test("CAMP-4: a preview shows the message that real recipients would find, or why there is none")
    func preview() async throws {
        let world = try await Self.world()
        let id = try await world.campaigns.drafts.create(Self.draft(), app: world.app).id
        let previews = try await world.campaigns.previews.preview(id, devices: nil, limit: 4, app: world.app)
        #expect(previews.map { $0.message?.subject } == ["Hello Anna", "Salut <Ben>", nil, nil])
        #expect(previews[0].message?.center == "Primary" && previews[0].message?.badge == BadgeChange(op: .increment))
        #expect(previews[1].message?.richHtml == "<p>&lt;Ben&gt;</p>" && previews[1].variant == "fr")
        #expect(previews.allSatisfy { $0.content == nil })
        #expect(previews[2].problem == "subject: There is no value for {{firstName}}, and no default.")
        #expect(previews[3].problem == "The device is not linked to a contact, so it cannot have messages.")
    }

    @Test("CAMP-4, MC-3: the preview of a kept push shows both; a recipient without a contact gets the push")
    func previewOfBoth() async throws {
        let world = try await Self.world()
        let id = try await world.campaigns.drafts.create(Self.draft(.pushAndMessageCenter), app: world.app).id
        let previews = try await world.campaigns.previews.preview(id, devices: nil, limit: 4, app: world.app)
        #expect(previews.map { $0.content?.title } == ["Hello", "Hello", nil, "Hello"])
        #expect(previews.map { $0.message?.subject } == ["Hello Anna", "Salut <Ben>", nil, nil])
        #expect(previews.map { $0.problem == nil } == [true, true, false, true])
    }

    @Test("CAMP-7: a dry run of a message-center campaign agrees with the launch that follows")
    func dryRun() async throws {
        let world = try await Self.world()
        let id = try await world.campaigns.drafts.create(Self.draft(), app: world.app).id
        let run = try await world.campaigns.previews.dryRun(id, app: world.app)
        #expect(run.audience == 4 && run.wouldSend == 2)
        #expect(run.suppressed == [.renderError: 1, .noContact: 1])
        #expect(world.transport.requests.isEmpty)
        _ = try await world.campaigns.life.launch(id, app: world.app)
        try await world.sendToTheEnd()
        let counts = try await world.counts(id)
        #expect(counts.accepted == run.wouldSend && counts.suppressed == 2)
    }

    @Test("MC-5: a message that would have expired, or whose center is disabled, is not launched")
    func launchFaults() async throws {
        let world = try await ServiceWorld()
        var draft = CampaignDraft(
            name: "n", kind: .messageCenter, audience: .everyone,
            messageCenter: MessageCenterContent(
                subject: "a", message: "b", expiresAt: ServiceWorld.epoch.addingTimeInterval(60)
            )
        )
        let late = try await world.campaigns.drafts.create(draft, app: world.app).id
        draft.messageCenter = MessageCenterContent(center: "news", subject: "a", message: "b")
        #expect(
            await errorCode { try await world.campaigns.drafts.create(draft, app: world.app) }
                == "unknownMessageCenter")
        let (app, center) = (world.app.id, MessageCenterName(stored: "news"))
        func save(_ isEnabled: Bool) async throws {
            try await world.database.write { connection in
                let news = MessageCenter(name: center, isEnabled: isEnabled)
                try connection.messageCenters.save(news, app: app, now: ServiceWorld.epoch)
            }
        }
        try await save(true)
        let closed = try await world.campaigns.drafts.create(draft, app: world.app).id
        try await save(false)
        world.clock.advance(to: ServiceWorld.epoch.addingTimeInterval(60))
        let cases = [(late, "passed"), (closed, "messageCenterDisabled")]
        for (id, code) in cases {
            #expect(await errorCode { try await world.campaigns.life.launch(id, app: world.app) } == code)
            #expect(try await world.campaign(id).status == .draft)
        }
    }
}
