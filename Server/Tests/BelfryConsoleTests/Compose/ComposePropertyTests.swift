import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-5: forms of random drafts, as pages show them and browsers send them back")
struct ComposePropertyTests {
    private static let basis = ComposeBasis(
        schema: ["city": .string, "visits": .number, "vip": .boolean], zone: AppZone(named: "Europe/Paris"),
        centers: [MessageCenter(name: .primary)]
    )
    private static let place = ComposePlace(base: "/c", campaign: nil, version: "v", formToken: "t")
    private static let templates = Result { try PageTemplates(PageSources.all) }

    /// The page of a draft, and its form.
    private static func page(_ draft: CampaignDraft) throws -> (html: String, form: PageForm) {
        let model = ComposeModel(ComposeForm(draft, basis), FormProblems(), basis, place: place)
        let html = try templates.get().render("compose", model)
        return (html, try #require(PageForm(html, id: "compose")))
    }

    @Test("CON-5: a draft that goes through its page untouched is the same draft", arguments: CampaignKind.allCases)
    func untouched(_ kind: CampaignKind) throws {
        var drafts = RandomDrafts(dice: SeededGenerator(seed: 11))
        for round in 0..<16 {
            let draft = drafts.draft(kind)
            let (html, form) = try Self.page(draft)
            let sent = ComposeForm(form.fields, kind: kind)
            var problems = FormProblems()
            #expect(sent.draft(over: draft, Self.basis, &problems) == draft, "round \(round)")
            #expect(problems.isEmpty, "round \(round): \(problems)")
            #expect(!html.contains("<script>alert"), "round \(round)")
        }
    }

    @Test("CON-5: what is changed in one field changes nothing else", arguments: CampaignKind.allCases)
    func oneField(_ kind: CampaignKind) throws {
        var drafts = RandomDrafts(dice: SeededGenerator(seed: 12))
        for round in 0..<12 {
            let draft = drafts.draft(kind)
            var (_, form) = try Self.page(draft)
            var expected = draft
            expected.name = "Edited"
            form["name"] = ["Edited"]
            switch kind {
            case .push, .pushAndMessageCenter:
                form["subtitle"] = ["New"]
                expected.push?.subtitle = "New"
                if let text = draft.push?.buttons?.first?.text, !text.showsNothing {
                    form["buttonText"][0] = "Other"
                    expected.push?.buttons?[0].text = "Other"
                }
                if draft.push?.variants != nil {
                    form["variantBody"][0] = "Anders"
                    expected.push?.variants?["de"]?.body = "Anders"
                }
            case .messageCenter:
                form["deeplink"] = ["shop://x"]
                expected.messageCenter?.deeplinkUrl = "shop://x"
                if draft.messageCenter?.variants != nil {
                    form["centerVariantMessage"][0] = "Autre"
                    expected.messageCenter?.variants?["fr"]?.message = "Autre"
                }
            case .silent:
                form["collapseId"] = ["c"]
                expected.push?.collapseId = "c"
            case .inApp:
                form["limit"] = ["77"]
                expected.inApp?.displayLimit = 77
                if let buttons = draft.inApp?.content.buttons, !buttons.isEmpty {
                    form["buttonText"][buttons.count - 1] = "Other"
                    expected.inApp?.content.buttons?[buttons.count - 1].text = "Other"
                }
                if draft.inApp?.variants != nil {
                    form["variantAlt"][0] = "Bild"
                    expected.inApp?.variants?["ar"]?.imageAlt = "Bild"
                }
            }
            var problems = FormProblems()
            let made = ComposeForm(form.fields, kind: kind).draft(over: draft, Self.basis, &problems)
            #expect(made == expected, "round \(round)")
            #expect(problems.isEmpty, "round \(round): \(problems)")
        }
    }

    @Test("CON-5: a row that is added to an audience leaves the others as they were")
    func oneRow() throws {
        var drafts = RandomDrafts(dice: SeededGenerator(seed: 13))
        var count = 0
        for _ in 0..<400 {
            let audience = drafts.audience()
            let parts: [Condition]
            switch audience {
            case .all(let all): parts = all
            default: continue
            }
            var form = AudienceForm(audience)
            guard form.mode == .clauses, form.clauses.count < 8 else { continue }
            count += 1
            form.clauses.append(
                AudienceForm.Placed(place: form.clauses.count, row: AudienceRow(subject: "tag", value: "new"))
            )
            let sent = AudienceForm(FormFields(form.values))
            #expect(try sent.condition(schema: Self.basis.schema, over: audience) == .all(parts + [.tag("new")]))
        }
        #expect(count > 20)
    }

    @Test("CON-5: rows of events say what they did or did not do, how often, since when, and which of them")
    func events() throws {
        let within = try ISODuration("P30D")
        let rows = [
            ["subject": "event", "op": "==", "value": "purchase", "often": ">=", "times": "2", "days": "30"],
            [
                "subject": "noEvent", "value": "return", "days": "30", "whereName": "price", "whereOp": ">",
                "whereValue": "10",
            ],
            ["subject": "tag", "value": "a", "group": "A"],
            ["subject": "fact:pushOptIn", "value": "yes", "group": "A"],
        ]
        var values = AudienceForm.rows.values(rows)
        values["audience"] = ["clauses"]
        let expected = Condition.all([
            .event(EventClause(name: "purchase", count: EventCount(.greaterOrEqual, 2), within: within)),
            .not(
                .event(
                    EventClause(name: "return", within: within, filter: .attribute("price", .greater(10)))
                )
            ),
            .any([.tag("a"), .deviceFact(.pushOptIn, .equal(true))]),
        ])
        let form = AudienceForm(FormFields(values))
        #expect(try form.condition(schema: [:]) == expected)
        #expect(AudienceForm(expected).mode == .clauses)
        #expect(form.field(of: "audience.all[1].not.where.op") == "clause.1")
        #expect(form.field(of: "audience.all[2].any[1].value") == "clause.3")
    }
}
