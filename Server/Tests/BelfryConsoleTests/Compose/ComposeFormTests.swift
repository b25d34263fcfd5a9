import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-5: the form of a push and its draft")
struct ComposeFormTests {
    private static let schema: [String: AttributeType] = ["city": .string, "visits": .number, "vip": .boolean]
    private static let basis = ComposeBasis(schema: schema, zone: AppZone(named: "Europe/Paris"))

    @Test("CON-5: what a form shows of a draft makes the same draft again, and keeps what it does not show")
    func roundTrip() throws {
        let date = try #require(Timestamp.date("2026-12-01T17:00:00Z"))
        let quiet = QuietHours(
            from: try #require(TimeOfDay("22:00")), to: try #require(TimeOfDay("08:00")), then: .suppress
        )
        var push = PushContent(title: "T", body: "B", imageUrl: "https://example.com/a.png")
        push.action = NotificationAction(type: .openUrl, url: "shop://sale")
        push.badge = BadgeChange(op: .set, value: 3)
        push.sound = "bell"
        push.buttons = [NotificationButton(id: "a", text: "A")]
        push.variants = ["de": PushVariant(title: "Hallo")]
        let schedules: [CampaignSchedule?] = [
            nil, CampaignSchedule(at: date, quietHours: quiet, ratePerSecond: 10),
            CampaignSchedule(localAt: LocalDateTime("2026-12-01T09:00"), expiresAt: date),
        ]
        let audiences: [Condition] = [
            .everyone, .tag("a"), .not(.tag("a")), .attribute("vip", .equal(true)),
            .all([.attribute("city", .startsWith("P")), .attribute("visits", .greaterOrEqual(3))]),
            .any([.attribute("city", .exists(false)), .device(.platform, .notEqual("ios"))]),
            .event(EventClause(name: "purchase")), .all([.tag("a"), .any([.tag("b"), .known(true)])]),
        ]
        for schedule in schedules {
            for audience in audiences {
                let draft = CampaignDraft(name: "N", kind: .push, audience: audience, push: push, schedule: schedule)
                let form = ComposeForm(draft, Self.basis)
                #expect(try form.draft(over: draft, Self.basis) == draft)
                // Also as what a form begins with, beside what it does not show.
                let anew = try form.draft(over: nil, Self.basis)
                #expect(anew.audience == draft.audience && anew.schedule == draft.schedule && anew.push == draft.push)
            }
        }
    }

    @Test("CON-5: no two parts of a form have a field of one name", arguments: CampaignKind.allCases)
    func names(_ kind: CampaignKind) {
        let names = ComposeForm.parts(of: kind).flatMap(\.names)
        #expect(Set(names).count == names.count, "\(names.sorted())")
    }

    @Test("CON-5: a button that nobody has named gets a number that no other button has")
    func buttonNames() throws {
        let names = ["button2", "", ""]
        let typed = ["buttonWas": names, "buttonId": names, "buttonText": ["Second", "New", "Newer"]]
        var push = CampaignDraft(
            name: "N", kind: .push, audience: .everyone, push: PushContent(title: "T", body: "B")
        )
        push.push?.buttons = [NotificationButton(id: "button2", text: "Second")]
        var message = InAppDraft(type: .modal, content: InAppContent(body: "B"))
        message.content.buttons = [InAppButton(id: "button2", text: "Second", action: InAppAction(type: .close))]
        let inApp = CampaignDraft(name: "N", kind: .inApp, audience: .everyone, inApp: message)
        for draft in [push, inApp] {
            var fields = ComposeForm(draft, Self.basis).fields
            for (name, all) in typed { fields.set(name, all) }
            let made = try ComposeForm(fields, kind: draft.kind).draft(over: draft, Self.basis)
            let ids = (made.push?.buttons ?? []).map(\.id) + (made.inApp?.content.buttons ?? []).map(\.id)
            #expect(ids == ["button2", "button3", "button4"], "\(draft.kind)")
        }
    }

    @Test("CON-5: rows make a predicate; rows that are not used count nowhere")
    func rows() throws {
        let fields = FormFields(
            "audience=clauses&match=any&subject=&op=%3D%3D&value=&subject=tag&op=%3D%3D&value=a&subject=attribute%3Avisits&op=%3E&value=4.5"
                .utf8)
        let form = AudienceForm(try #require(fields))
        let expected = Condition.any([.tag("a"), .attribute("visits", .greater(4.5))])
        #expect(try form.condition(schema: Self.schema) == expected)
    }

    @Test(
        "CON-5: what is wrong with a row is said at the row",
        arguments: [
            ("attribute:visits", "==", "many", "a number"), ("attribute:vip", "==", "perhaps", "true or false"),
            ("attribute:gone", "==", "x", "no longer has this attribute"), ("tag", "<", "x", "there or not"),
            ("tag", "==", " ", "Enter a tag"), ("attribute:city", "==", "", "to compare with"),
            ("attribute:city", "~", "x", "how it is compared"), ("colour", "==", "x", "what this row asks"),
        ])
    func wrongRows(_ subject: String, _ op: String, _ value: String, _ sentence: String) {
        let form = Self.form([
            AudienceRow(subject: "tag", value: "a"), AudienceRow(subject: subject, op: op, value: value),
        ])
        do throws(FormProblems) {
            _ = try form.condition(schema: Self.schema)
            Issue.record("It was taken.")
        } catch {
            #expect(error["clause.1"]?.contains(sentence) == true, "\(error)")
            #expect(error.count == 1)
        }
    }

    private static func form(_ rows: [AudienceRow]) -> AudienceForm {
        var form = AudienceForm(.everyone)
        form.mode = .clauses
        form.clauses = rows.enumerated().filter { $0.element.isUsed }.map { AudienceForm.Placed(place: $0, row: $1) }
        return form
    }

    @Test("CON-5: what the services refuse is said at the field of the form that it is about")
    func places() throws {
        var values = Self.form([
            AudienceRow(), AudienceRow(subject: "tag", value: "a"), AudienceRow(),
            AudienceRow(subject: "tag", value: "b"),
        ]).values
        // A form sends the rows that nobody used, too.
        for name in AudienceRow.names { values[name] = ["", values[name]?[0] ?? "", "", values[name]?[1] ?? ""] }
        values.merge(["buttonText": ["", "A", "B"], "variantLocale": ["", "de"]]) { $1 }
        let form = ComposeForm(FormFields(values), kind: .push)
        let expected = [
            ("push.title", "title"), ("push.action.url", "link"), ("push.badge.value", "badgeValue"),
            ("schedule.at", "at"), ("schedule.quietHours.to", "quietTo"), ("name", "name"),
            ("audience.all[1].tag", "clause.3"), ("audience.all[0]", "clause.1"), ("audience", "clause.1"),
            ("push.buttons[1].text", "buttonText.2"), ("push.buttons[0].action.url", "buttonLink.1"),
            ("push.buttons", "buttonText.0"), ("push.variants.de.title", "variantTitle.1"),
            ("push.variants.de", "variantLocale.1"), ("push.sound", "sound"), ("push.ttlSeconds", "ttl"),
            ("schedule.frequencyCap.count", "capCount"), ("messageCenter.subject", "centerSubject"),
        ]
        for (field, own) in expected {
            let error = ServiceError.invalid(field: field, ValueError(code: "c", message: "M"))
            #expect(try #require(form.problems(error))[own] == "M", "\(field)")
        }
        let other = ServiceError.invalid(field: "push", ValueError(code: "payloadTooLarge", message: "Too large."))
        #expect(form.problems(other)?.others == ["Too large."])
        // Where most is written, shortening helps most.
        let long = ComposeForm(FormFields(["title": ["Sale"], "body": ["Come to the sale"]]), kind: .push)
        #expect(long.problems(other)?["body"]?.contains("Shorten it.") == true)
        #expect(long.problems(other)?.others == ["Too large."] && long.problems(other)?.count == 2)
        // What is refused as a whole keeps what was typed, too.
        #expect(form.problems(ServiceError.conflict(message: "C"))?.others == ["C"])
    }

    @Test("CON-11: a predicate that is none says why, and deep ones are refused")
    func predicates() {
        var form = AudienceForm(.everyone)
        form.mode = .json
        for text in ["", "{", "[]", "{\"tag\":1}", "{\"nobody\":true}", String(repeating: "{\"not\":", count: 5_000)] {
            form.json = text
            #expect(throws: FormProblems.self, "\(text.prefix(20))") { _ = try form.condition(schema: Self.schema) }
        }
        form.json = "{\"tag\":\"sports\"}"
        #expect((try? form.condition(schema: Self.schema)) == .tag("sports"))
    }
}
