import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation
import Testing

@testable import BelfryServices

/// The errors of a campaign, without a store.
struct CampaignErrorsTests {
    private static let schema: [String: AttributeType] = ["city": .string, "vip": .boolean]

    private func errors(_ draft: CampaignDraft) -> [String] {
        do throws(ServiceError) {
            _ = try CampaignCheck.checked(
                draft, centers: [MessageCenter(name: .primary)], texts: TextCompiler(schema: Self.schema)
            )
            return []
        } catch {
            guard case .invalidFields(let first, let others) = error else { return ["\(error)"] }
            return ([first] + others).map { "\($0.field) \($0.error.code)" }
        }
    }

    private func errors(push: PushContent, kind: CampaignKind = .push) -> [String] {
        errors(CampaignDraft(name: "Sale", kind: kind, audience: .everyone, push: push))
    }

    @Test("ADM-3, CAMP-4, CAMP-5: every error of a campaign is reported at once")
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
            errors(draft) == [
                "name invalidLength", "push.title blank", "push.ttlSeconds outOfRange",
                "push.variants.de.action.url missing", "push.body undefinedAttribute", "push.imageUrl invalidURL",
                "push.variants.fr.title invalidTemplate", "schedule.quietHours.to outOfRange",
                "schedule.frequencyCap.count outOfRange", "schedule.ratePerSecond outOfRange",
            ]
        )
    }

    @Test("PUSH-9: a relevance score is 0 to 1")
    func relevance() {
        for score in [0, 0.5, 1] {
            #expect(errors(push: PushContent(title: "a", body: "b", relevanceScore: score)) == [])
        }
        for score in [-0.001, 1.001, 1e300] {
            let push = PushContent(title: "a", body: "b", relevanceScore: score)
            #expect(errors(push: push) == ["push.relevanceScore outOfRange"])
        }
    }

    @Test(
        "PUSH-9: an analytics label conforms to Google's rules, also in a silent push",
        arguments: [
            ("a", true), ("Winter-sale_1.2~%", true), (String(repeating: "z", count: 50), true), ("", false),
            (String(repeating: "z", count: 51), false), ("a b", false), ("a/b", false), ("é", false),
            ("a\u{301}", false),
        ]
    )
    func analyticsLabel(_ label: String, isValid: Bool) {
        for kind in [CampaignKind.push, .silent] {
            let text = kind == .push ? "a" : ""
            let push = PushContent(title: text, body: text, analyticsLabel: label)
            #expect(errors(push: push, kind: kind) == (isValid ? [] : ["push.analyticsLabel invalidLabel"]))
        }
    }

    @Test("CAMP-1, PUSH-7, PUSH-9: a silent push needs nothing, and visible fields are refused")
    func silent() throws {
        #expect(errors(CampaignDraft(name: "Sync", kind: .silent, audience: .everyone)) == [])
        let draft = try CampaignCheck.checked(
            CampaignDraft(name: "Sync", kind: .silent, audience: .everyone), centers: [],
            texts: TextCompiler(schema: [:])
        )
        #expect(draft.push == PushContent(title: "", body: ""))
        let quiet = PushContent(title: "", body: "", collapseId: "sync", priority: 1, custom: ["city": "{{city}}"])
        #expect(errors(push: quiet, kind: .silent) == [])
        let loud = PushContent(
            title: "Hi", subtitle: "a", body: "b", imageUrl: "https://example.com/a.png", sound: "default",
            action: .init(type: .launchApp), buttons: [], priority: 10, category: "c", threadId: "t",
            interruptionLevel: .active, relevanceScore: 1, targetContentId: "w", filterCriteria: "f",
            androidChannel: "n", androidVisibility: .presence, badge: BadgeChange(op: .clear),
            variants: [:]
        )
        let names = [
            "title", "subtitle", "body", "imageUrl", "sound", "action", "buttons", "category", "threadId",
            "interruptionLevel", "relevanceScore", "targetContentId", "filterCriteria", "androidChannel",
            "androidVisibility", "badge", "variants",
        ]
        #expect(
            errors(push: loud, kind: .silent) == names.map { "push.\($0) notSilent" } + ["push.priority outOfRange"])
        let large = PushContent(title: "", body: "", custom: ["a": .string(String(repeating: "x", count: 4_096))])
        #expect(errors(push: large, kind: .silent) == ["push payloadTooLarge"])
    }

    @Test("CAMP-6: the error of a field that a variant inherits is reported only for the content")
    func inherited() {
        var push = PushContent(title: "{{shoe}}", body: "b")
        push.variants = ["fr": PushVariant(body: "{{city}}")]
        #expect(errors(push: push) == ["push.title undefinedAttribute"])
        push.variants = ["fr": PushVariant(title: "Salut", body: "{{#vip}}x")]
        #expect(errors(push: push) == ["push.title undefinedAttribute", "push.variants.fr.body invalidTemplate"])
    }

    @Test("PUSH-1, PUSH-2, PUSH-3: a size over any service's limit is refused, by variant; tags do not count")
    func sizes() {
        func errors(body: String) -> [String] { self.errors(push: PushContent(title: "a", body: body)) }
        #expect(errors(body: String(repeating: "x", count: 3_600)) == [])
        #expect(errors(body: String(repeating: "x", count: 4_000)) == ["push payloadTooLarge"])
        let tags = String(repeating: "{{#vip}}a comment of some length{{/vip}}", count: 100)
        #expect(errors(body: "x" + tags) == [])
        var push = PushContent(title: "a", body: "b")
        push.variants = ["fr": PushVariant(body: String(repeating: "é", count: 2_100)), "de": PushVariant(body: "c")]
        #expect(self.errors(push: push) == ["push.variants.fr payloadTooLarge"])
    }

    @Test("CAMP-6: a rich message is opened from one https address")
    func richMessage() {
        func errors(_ url: String?) -> [String] {
            self.errors(push: PushContent(title: "a", body: "b", action: .init(type: .openRichMessage, url: url)))
        }
        #expect(errors("https://example.com/{{city}}") == [])
        #expect(errors(nil) == ["push.action.url missing"])
        #expect(errors("shop://x") == ["push.action.url invalidURL"])
    }

    @Test("CAMP-5: a campaign expires after its time, wherever a recipient is")
    func expiry() throws {
        let noon = try #require(LocalDateTime("2026-12-01T12:00:00"))
        func errors(_ expiry: String) -> [String] {
            let schedule = CampaignSchedule(localAt: noon, expiresAt: Timestamp.date(expiry))
            return self.errors(
                CampaignDraft(
                    name: "n", kind: .push, audience: .everyone, push: PushContent(title: "a", body: "b"),
                    schedule: schedule
                )
            )
        }
        #expect(errors("2026-11-30T22:00:01Z") == [])
        #expect(errors("2026-11-30T22:00:00Z") == ["schedule.expiresAt outOfRange"])
    }
}
