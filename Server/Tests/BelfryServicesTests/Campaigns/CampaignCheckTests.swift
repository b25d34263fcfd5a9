import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServices
import Foundation
import Testing

struct CampaignCheckTests {
    private struct Case: Sendable, CustomTestStringConvertible {
        let field: String
        let change: @Sendable (inout CampaignDraft) -> Void

        var testDescription: String { field }

        init(_ field: String, _ change: @escaping @Sendable (inout CampaignDraft) -> Void) {
            self.field = field
            self.change = change
        }
    }

    private static let rejected: [Case] = [
        Case("name") { $0.name = " " },
        Case("name") { $0.name = String(repeating: "x", count: 201) },
        Case("inApp") { ($0.kind, $0.push) = (.inApp, nil) },
        Case("messageCenter") { ($0.kind, $0.push) = (.messageCenter, nil) },
        Case("messageCenter.center") {
            $0.kind = .pushAndMessageCenter
            $0.messageCenter = MessageCenterContent(center: "none")
        },
        Case("push.badge.value") { $0.push?.badge = BadgeChange(op: .set, value: -1) },
        Case("push") { $0.push = nil },
        Case("push.title") { $0.push?.title = " " },
        Case("push.body") { $0.push?.body = "" },
        Case("push.collapseId") { $0.push?.collapseId = String(repeating: "x", count: 65) },
        Case("push.collapseId") { $0.push?.collapseId = "" },
        Case("push.ttlSeconds") { $0.push?.ttlSeconds = -1 },
        Case("push.ttlSeconds") { $0.push?.ttlSeconds = 28 * 86_400 + 1 },
        Case("push.priority") { $0.push?.priority = 7 },
        Case("push.custom.aps") { $0.push?.custom = ["aps": 1] },
        Case("push.imageUrl") { $0.push?.imageUrl = "http://example.com/a.png" },
        Case("push.action.url") { $0.push?.action = NotificationAction(type: .openUrl, url: "nowhere") },
        Case("push.action.url") { $0.push?.action = NotificationAction(type: .openUrl) },
        Case("push.action.url") { $0.push?.action = NotificationAction(type: .openUrl, url: "javascript:alert(1)") },
        Case("push.action.url") { $0.push?.action = NotificationAction(type: .openRichMessage) },
        Case("push.action.url") {
            $0.push?.action = NotificationAction(type: .openRichMessage, url: "http://example.com")
        },
        Case("push.buttons[1].text") {
            $0.push?.buttons = [NotificationButton(id: "a", text: "A"), NotificationButton(id: "b", text: " ")]
        },
        Case("push.buttons") {
            $0.push?.buttons = (0..<5).map { NotificationButton(id: "\($0)", text: "x") }
        },
        Case("push.buttons[1].id") {
            $0.push?.buttons = (0..<2).map { _ in NotificationButton(id: "a", text: "A") }
        },
        Case("push.custom.google.x") { $0.push?.custom = ["google.x": 1] },
        Case("push.sound") { $0.push?.sound = "" },
        Case("push.category") { $0.push?.category = String(repeating: "x", count: 201) },
        Case("push.threadId") { $0.push?.threadId = TextPlaceholder.marker(0) },
        Case("push.title") { $0.push?.title = "{{shoe}}" },
        Case("push.body") { $0.push?.body = "{{#locale}}" },
        Case("push.defaults.shoe") { $0.push?.defaults = ["shoe": "42"] },
        Case("push.variants.fr.title") { $0.push?.variants = ["fr": PushVariant(title: " ")] },
        Case("push.variants.fr.body") { $0.push?.variants = ["fr": PushVariant(body: "{{shoe}}")] },
        Case("push.variants.français") { $0.push?.variants = ["français": PushVariant()] },
        Case("push.variants.fr_FR") { $0.push?.variants = ["fr-FR": PushVariant(), "fr_FR": PushVariant()] },
        Case("push.variants.fr") {
            $0.push?.variants = ["fr": PushVariant(body: String(repeating: "x", count: 4_096))]
        },
        Case("schedule.localAt") {
            $0.schedule = CampaignSchedule(at: .distantFuture, localAt: LocalDateTime(secondsInUTC: 0))
        },
        Case("schedule.ratePerSecond") { $0.schedule = CampaignSchedule(ratePerSecond: 0) },
        Case("schedule.expiresAt") {
            $0.schedule = CampaignSchedule(at: .distantFuture, expiresAt: .distantFuture)
        },
        Case("push") { $0.push?.body = String(repeating: "x", count: 4_096) },
        Case("audience.attribute") { $0.audience = .attribute("shoe", .equal(1)) },
        Case("audience") { $0.audience = .any(Array(repeating: .everyone, count: 300)) },
        Case("audience.tag") { $0.audience = .tag("a\0") },
    ]

    @Test("CAMP-3, CAMP-6: the errors of a campaign are reported when it is saved, with the field", arguments: rejected)
    private func rejection(_ wrong: Case) async throws {
        let world = try await ServiceWorld()
        var draft = ServiceWorld.draft()
        wrong.change(&draft)
        var rejected: String?
        do {
            _ = try await world.campaigns.drafts.create(draft, app: world.app)
        } catch ServiceError.invalid(let field, _) {
            rejected = field
        } catch ServiceError.invalidFields(let first, let others) {
            rejected = others.isEmpty ? first.field : nil
        }
        #expect(rejected == wrong.field)
        #expect(try await world.campaigns.queries.list(app: world.app, before: nil, limit: 9).isEmpty)
    }

    @Test("CAMP-3: the references of an audience are checked again at the launch")
    func checkedAtLaunch() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("birthday", type: .string, app: world.app)
        let draft = ServiceWorld.draft(audience: .attribute("birthday", .equal("today")))
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        try await world.apps.defineAttribute("birthday", type: .date, app: world.app)
        #expect(await errorCode { try await world.campaigns.life.launch(id, app: world.app) } == "invalidValue")
        #expect(try await world.campaign(id).status == .draft)
    }

    @Test("CAMP-2: an audience that can no longer be selected ends only its own campaign")
    func unselectable() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("birthday", type: .string, app: world.app)
        try await world.makeFleet(2)
        let broken = try await world.launch(audience: .attribute("birthday", .equal("today")))
        // Past the check of a change: as a table that was changed by hand would have it.
        let app = world.app.id
        try await world.database.write { connection in
            try connection.attributes.define(AttributeKey("birthday"), type: .date, app: app, now: ServiceWorld.epoch)
        }
        let other = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.counts(other).accepted == 2)
        let campaign = try await world.campaign(broken)
        #expect(campaign.status == .cancelled)
        let reason = try #require(campaign.statusReason)
        #expect(reason.contains("birthday"))
        let device = try ServiceWorld.client(1).rawValue
        let explanation = try await world.explainer.explain(broken, device: device, app: world.app)
        #expect(explanation.sentence == "The campaign's audience was never selected: \(reason)")
        // The operator hears of it, too.
        let logged = world.log.entries.filter { $0.level == .warning }.map { "\($0.metadata["reason"] ?? "")" }
        #expect(logged == [reason])
    }
}
