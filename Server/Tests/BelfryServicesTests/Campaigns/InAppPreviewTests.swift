import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// Previews and dry runs of in-app campaigns (CAMP-4, CAMP-7, IAM-12).
struct InAppPreviewTests {
    /// Anna, Ben who is opted out and French, one without a name, and a device without a contact.
    private static func world() async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("firstName", type: .string, app: world.app)
        for (number, name, locale) in [(1, "Anna", nil), (2, "<Ben>", "fr_FR"), (3, nil, nil)]
            as [(Int, String?, String?)]
        {
            var device = try await ServiceDevice.started(world, number)
            try await device.register {
                $0.pushEnabled = number != 2
                $0.locale = locale
                $0.attributes = name.map { ["firstName": .string($0)] } ?? [:]
            }
        }
        try await world.process()
        let (app, now) = (world.app.id, world.clock.now)
        try await world.database.write { connection in
            _ = try connection.devices.findOrInsert(app: app, client: ServiceWorld.client(4), now: now)
        }
        return world
    }

    private static let draft = CampaignDraft(
        name: "Sale", kind: .inApp, audience: .everyone,
        inApp: InAppDraft(
            type: .modal, trigger: InAppTrigger(event: "session:start"),
            content: InAppContent(
                title: "Hello {{firstName}}",
                buttons: [InAppButton(id: "go", text: "Go", action: .init(type: .openUrl, url: "shop://x"))]
            ),
            variants: ["fr": InAppVariant(title: "Salut {{firstName}}", buttons: ["go": "Va"])]
        )
    )

    @Test("CAMP-4, IAM-12: a preview shows the same page as a device, or why there is none")
    func preview() async throws {
        let world = try await Self.world()
        let id = try await world.campaigns.drafts.create(Self.draft, app: world.app).id
        let previews = try await world.campaigns.previews.preview(id, devices: nil, limit: 4, app: world.app)
        #expect(previews.map { $0.inApp?.title } == ["Hello Anna", "Salut <Ben>", nil, nil])
        #expect(previews.map(\.variant) == [nil, "fr", nil, nil])
        #expect(previews[1].inApp?.buttons?.first?.text == "Va" && previews[1].inApp?.buttons?.first?.id == "go")
        let page = try #require(previews[1].page)
        #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("lang=\"fr\"") && page.contains("&lt;Ben&gt;"))
        #expect(!page.contains("<Ben>"))
        #expect(previews[2].problem == "title: There is no value for {{firstName}}, and no default.")
        #expect(previews[3].problem == "The device is not linked to a contact, so it cannot have messages.")
        #expect(previews[2].page == nil && previews[3].page == nil)
        #expect(previews.allSatisfy { $0.content == nil && $0.message == nil })
        let named = try await world.campaigns.previews.preview(
            id, devices: [ServiceWorld.client(2).rawValue], limit: 1, app: world.app
        )
        #expect(Array(named) == [previews[1]])
    }

    @Test("IAM-12: a message of type action has no page")
    func actions() async throws {
        let world = try await Self.world()
        var draft = Self.draft
        draft.inApp?.type = .action
        draft.inApp?.content = InAppContent(actions: [.init(type: .openUrl, url: "shop://{{firstName}}")])
        draft.inApp?.variants = nil
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        let preview = try #require(
            try await world.campaigns.previews.preview(id, devices: nil, limit: 1, app: world.app).first
        )
        #expect(preview.inApp?.actions?.first?.url == "shop://Anna" && preview.page == nil)
    }

    @Test("CAMP-7: a dry run counts who would download it, opted out or not, and who would not, by reason")
    func dryRun() async throws {
        let world = try await Self.world()
        let id = try await world.campaigns.drafts.create(Self.draft, app: world.app).id
        let run = try await world.campaigns.previews.dryRun(id, app: world.app)
        #expect(run.audience == 4 && run.wouldSend == 2 && run.later == 1 && run.suppressed == [.renderError: 1])
        let reasons = Set(run.samples.compactMap(\.reason))
        #expect(run.samples.count == 4 && reasons == ["noContact", "renderError"])
        // After its launch, too.
        _ = try await world.campaigns.life.launch(id, app: world.app)
        #expect(try await world.campaigns.previews.dryRun(id, app: world.app) == run)
    }
}
