import BelfryModel
import BelfryPush
import Foundation
import Testing

@testable import BelfryServices

/// What is wrong with a campaign, without a store.
struct CampaignFaultsTests {
    private static let schema: [String: AttributeType] = ["city": .string, "vip": .boolean]

    private func faults(_ draft: CampaignDraft) -> [String] {
        do throws(ServiceError) {
            _ = try CampaignCheck.checked(draft, schema: Self.schema, centers: [MessageCenter(name: .primary)])
            return []
        } catch {
            guard case .invalidFields(let first, let others) = error else { return ["\(error)"] }
            return ([first] + others).map { "\($0.field) \($0.refusal.code)" }
        }
    }

    private func faults(push: PushContent, kind: CampaignKind = .push) -> [String] {
        faults(CampaignDraft(name: "Sale", kind: kind, audience: .everyone, push: push))
    }

    @Test("ADM-3, CAMP-4, CAMP-5: every fault of a campaign is named at once")
    func all() throws {
        let quiet = QuietHours(from: try #require(TimeOfDay("22:00")), to: try #require(TimeOfDay("22:00")))
        var push = PushContent(title: "", body: "{{shoe}}", imageUrl: "http://example.com/a.png", ttlSeconds: -1)
        push.variants = [
            "fr": PushVariant(title: "{{", body: "fine"), "de": PushVariant(action: .init(type: .openUrl)),
        ]
        let schedule = CampaignSchedule(
            quietHours: quiet, frequencyCap: FrequencyCap(count: 0, within: try ISODuration("P1D")),
            ratePerSecond: 100_001
        )
        let draft = CampaignDraft(name: " ", kind: .push, audience: .everyone, push: push, schedule: schedule)
        #expect(
            faults(draft) == [
                "name invalidLength", "push.title blank", "push.ttlSeconds outOfRange",
                "push.variants.de.action.url missing", "push.body undefinedAttribute", "push.imageUrl invalidURL",
                "push.variants.fr.title invalidTemplate", "schedule.quietHours.to outOfRange",
                "schedule.frequencyCap.count outOfRange", "schedule.ratePerSecond outOfRange",
            ]
        )
    }

    @Test("CAMP-1, PUSH-7: a silent push needs nothing, and whatever would show is refused")
    func silent() throws {
        #expect(faults(CampaignDraft(name: "Sync", kind: .silent, audience: .everyone)) == [])
        let draft = try CampaignCheck.checked(
            CampaignDraft(name: "Sync", kind: .silent, audience: .everyone), schema: [:], centers: []
        )
        #expect(draft.push == PushContent(title: "", body: ""))
        let quiet = PushContent(title: "", body: "", collapseId: "sync", priority: 1, custom: ["city": "{{city}}"])
        #expect(faults(push: quiet, kind: .silent) == [])
        let loud = PushContent(
            title: "Hi", subtitle: "a", body: "b", imageUrl: "https://example.com/a.png", sound: "default",
            action: .init(type: .launchApp), buttons: [], priority: 10, category: "c", threadId: "t",
            interruptionLevel: .active, androidChannel: "n", badge: BadgeChange(op: .clear), variants: [:]
        )
        let names = [
            "title", "subtitle", "body", "imageUrl", "sound", "action", "buttons", "category", "threadId",
            "interruptionLevel", "androidChannel", "badge", "variants",
        ]
        #expect(
            faults(push: loud, kind: .silent) == names.map { "push.\($0) notSilent" } + ["push.priority outOfRange"])
        let large = PushContent(title: "", body: "", custom: ["a": .string(String(repeating: "x", count: 4_096))])
        #expect(faults(push: large, kind: .silent) == ["push payloadTooLarge"])
    }

    @Test("CAMP-6: the fault of a field that a variant inherits is the content's alone")
    func inherited() {
        var push = PushContent(title: "{{shoe}}", body: "b")
        push.variants = ["fr": PushVariant(body: "{{city}}")]
        #expect(faults(push: push) == ["push.title undefinedAttribute"])
        push.variants = ["fr": PushVariant(title: "Salut", body: "{{#vip}}x")]
        #expect(faults(push: push) == ["push.title undefinedAttribute", "push.variants.fr.body invalidTemplate"])
    }

    @Test("PUSH-1, PUSH-2, PUSH-3: a size over any service's limit is refused, by variant; tags do not count")
    func sizes() {
        func faults(body: String) -> [String] { self.faults(push: PushContent(title: "a", body: body)) }
        #expect(faults(body: String(repeating: "x", count: 3_600)) == [])
        #expect(faults(body: String(repeating: "x", count: 4_000)) == ["push payloadTooLarge"])
        let tags = String(repeating: "{{#vip}}a comment of some length{{/vip}}", count: 100)
        #expect(faults(body: "x" + tags) == [])
        var push = PushContent(title: "a", body: "b")
        push.variants = ["fr": PushVariant(body: String(repeating: "é", count: 2_100)), "de": PushVariant(body: "c")]
        #expect(self.faults(push: push) == ["push.variants.fr payloadTooLarge"])
    }

    @Test("CAMP-6: a rich message is opened from one https address")
    func richMessage() {
        func faults(_ url: String?) -> [String] {
            self.faults(push: PushContent(title: "a", body: "b", action: .init(type: .openRichMessage, url: url)))
        }
        #expect(faults("https://example.com/{{city}}") == [])
        #expect(faults(nil) == ["push.action.url missing"])
        #expect(faults("shop://x") == ["push.action.url invalidURL"])
    }

    @Test("CAMP-5: a campaign expires after its time, wherever a recipient is")
    func expiry() throws {
        let noon = try #require(LocalDateTime("2026-12-01T12:00:00"))
        func faults(_ expiry: String) -> [String] {
            let schedule = CampaignSchedule(localAt: noon, expiresAt: Timestamp.date(expiry))
            return self.faults(
                CampaignDraft(
                    name: "n", kind: .push, audience: .everyone, push: PushContent(title: "a", body: "b"),
                    schedule: schedule
                )
            )
        }
        #expect(faults("2026-11-30T22:00:01Z") == [])
        #expect(faults("2026-11-30T22:00:00Z") == ["schedule.expiresAt outOfRange"])
    }
}
