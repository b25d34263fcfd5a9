import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-11: what is typed into an option that is not chosen is refused at its field, and not lost")
struct ComposeOptionTests {
    private static let basis = ComposeBasis(
        schema: ["city": .string], zone: AppZone(named: "Europe/Paris"), centers: [MessageCenter(name: .primary)]
    )

    /// The form of a draft in which somebody has typed: the draft that it makes, and what is wrong with it.
    private static func sent(
        _ typed: [String: [String]], over base: CampaignDraft
    ) -> (draft: CampaignDraft, problems: FormProblems) {
        let shown = ComposeForm(base, basis).fields
        var values: [String: [String]] = [:]
        for name in shown.names { values[name] = shown.all(name) }
        // A box that is not ticked sends nothing.
        for (name, value) in typed { values[name] = value.isEmpty ? nil : value }
        var problems = FormProblems()
        let form = ComposeForm(FormFields(values), kind: base.kind)
        let draft = form.draft(over: base, basis, &problems)
        return (draft, problems)
    }

    private static func rejected(
        _ typed: [String: [String]], over base: CampaignDraft, at field: String, _ words: String
    ) {
        let problems = sent(typed, over: base).problems
        #expect(problems[field]?.contains(words) == true, "\(field): \(problems)")
        #expect(problems.count == 1, "\(problems)")
    }

    private static let push = CampaignDraft(
        name: "N", kind: .push, audience: .everyone, push: PushContent(title: "T", body: "B")
    )

    private static func inApp(_ type: InAppType = .modal) -> CampaignDraft {
        CampaignDraft(
            name: "N", kind: .inApp, audience: .everyone,
            inApp: InAppDraft(
                type: type, trigger: InAppTrigger(event: "session:start"), content: InAppContent(body: "B")
            )
        )
    }

    @Test("CON-11: a condition that is typed for everyone is refused at its row; chosen, it is asked")
    func audience() {
        var typed = ["audience": ["everyone"], "subject": ["attribute:city"], "op": ["=="], "value": ["Berlin"]]
        Self.rejected(typed, over: Self.push, at: "clause.0", "Choose 'By the conditions below'")
        typed["audience"] = ["clauses"]
        let chosen = Self.sent(typed, over: Self.push)
        #expect(chosen.problems.isEmpty && chosen.draft.audience == .attribute("city", .equal("Berlin")))
        var asked = Self.push
        asked.audience = .tag("a")
        // What was changed is wanted; another audience may be chosen without emptying the rows first.
        Self.rejected(
            ["audience": ["everyone"], "value": ["b"]], over: asked, at: "clause.0",
            "Choose 'By the conditions below'"
        )
        let everyone = Self.sent(["audience": ["everyone"]], over: asked)
        #expect(everyone.problems.isEmpty && everyone.draft.audience == .everyone)
    }

    @Test("CON-11: a predicate that is typed beside another choice is refused at its field")
    func predicate() {
        let text = ["{\"tag\":\"sports\"}"]
        Self.rejected(
            ["predicate": text], over: Self.push, at: "predicate", "Choose 'By a predicate (JSON)'"
        )
        Self.rejected(
            ["audience": ["clauses"], "subject": ["tag"], "op": ["=="], "value": ["a"], "predicate": text],
            over: Self.push, at: "predicate", "Choose 'By a predicate (JSON)'"
        )
        let chosen = Self.sent(["audience": ["json"], "predicate": text], over: Self.push)
        #expect(chosen.problems.isEmpty && chosen.draft.audience == .tag("sports"))
        Self.rejected(
            ["audience": ["json"], "predicate": text, "subject": ["tag"], "op": ["=="], "value": ["a"]],
            over: Self.push, at: "clause.0", "Choose 'By the conditions below'"
        )
        var nested = Self.push
        nested.audience = .not(.all([.tag("a")]))
        let everyone = Self.sent(["audience": ["everyone"]], over: nested)
        #expect(everyone.problems.isEmpty && everyone.draft.audience == .everyone)
    }

    @Test(
        "CON-11: a row in which something is typed is used, also when it does not say yet what it asks for",
        arguments: [
            ("value", "sports"), ("times", "2"), ("days", "30"), ("whereName", "price"), ("whereValue", "10"),
        ])
    func unusedRow(_ field: String, _ text: String) {
        var typed = [
            "audience": ["clauses"], "subject": ["attribute:city", ""], "op": ["==", "=="], "value": ["Berlin", ""],
        ]
        typed[field] = [typed[field]?.first ?? "", text]
        Self.rejected(typed, over: Self.push, at: "clause.1", "Choose what this row asks for")
        typed[field] = [typed[field]?.first ?? "", " "]
        #expect(Self.sent(typed, over: Self.push).draft.audience == .attribute("city", .equal("Berlin")))
    }

    @Test(
        "CON-11: what a row cannot ask is refused, not left out",
        arguments: [
            (["subject": ["tag"], "value": ["a"], "days": ["30"]], "Only events are counted"),
            (["subject": ["event"], "op": ["!="], "value": ["purchase"]], "choose 'is'"),
            (["subject": ["known"], "op": ["!="], "value": ["true"]], "choose 'is'"),
        ])
    func rows(_ row: [String: [String]], _ words: String) {
        Self.rejected(row.merging(["audience": ["clauses"]]) { $1 }, over: Self.push, at: "clause.0", words)
    }

    @Test("CON-11: a time that is typed while the launch sends is refused at its field")
    func time() throws {
        Self.rejected(["at": ["2027-01-04T09:00"]], over: Self.push, at: "at", "Choose 'At a time in Europe/Paris'")
        var timed = Self.push
        timed.schedule = CampaignSchedule(at: Timestamp.date("2026-12-01T17:00:00Z"))
        Self.rejected(
            ["when": ["now"], "at": ["2027-01-04T09:00"]], over: timed, at: "at", "Choose 'At a time in Europe/Paris'"
        )
        let now = Self.sent(["when": ["now"]], over: timed)
        #expect(now.problems.isEmpty && now.draft.schedule == nil)
    }

    @Test("CON-11: quiet hours that were changed need their tick; those that the form offers do not")
    func quietHours() throws {
        Self.rejected(["quietFrom": ["23:00"]], over: Self.push, at: "quietFrom", "set this back to 22:00")
        Self.rejected(["quietTo": ["09:00"]], over: Self.push, at: "quietTo", "Tick 'Respect quiet hours'")
        Self.rejected(["quietThen": ["suppress"]], over: Self.push, at: "quietThen", "Tick 'Respect quiet hours'")
        let offered = Self.sent(["name": ["Other"]], over: Self.push)
        #expect(offered.problems.isEmpty && offered.draft.schedule == nil && offered.draft.name == "Other")
        var quiet = Self.push
        quiet.schedule = CampaignSchedule(
            quietHours: QuietHours(
                from: try #require(TimeOfDay("21:00")), to: try #require(TimeOfDay("07:00")), then: .suppress
            )
        )
        let without = Self.sent(["quiet": []], over: quiet)
        #expect(without.problems.isEmpty && without.draft.schedule == nil)
    }

    @Test(
        "CON-11: a message that is typed and not kept is refused at its fields",
        arguments: [
            ("centerSubject", "centerSubject"), ("centerMessage", "centerMessage"), ("icon", "icon"),
            ("richHtml", "richHtml"), ("center", "center"), ("centerVariantLocale", "centerVariantLocale.0"),
        ])
    func messageCenter(_ name: String, _ field: String) {
        Self.rejected([name: ["de"]], over: Self.push, at: field, "Tick 'Keep it in a message center, too'")
        let kept = Self.sent(["keep": ["yes"], "centerSubject": ["Typed"]], over: Self.push)
        #expect(kept.problems.isEmpty && kept.draft.messageCenter?.subject == "Typed")
        let no = Self.sent(["keep": []], over: kept.draft)
        #expect(no.problems.isEmpty && no.draft.kind == .push && no.draft.messageCenter == nil)
    }

    @Test("CON-11: a number for the icon needs what is done with it")
    func badge() {
        Self.rejected(["badgeValue": ["3"]], over: Self.push, at: "badgeValue", "Choose whether it is added or set")
        Self.rejected(
            ["badge": ["clear"], "badgeValue": ["3"]], over: Self.push, at: "badgeValue", "empty this field"
        )
        var counted = Self.push
        counted.push?.badge = BadgeChange(op: .set, value: 3)
        let others: [(String, BadgeChange?)] = [("", nil), ("clear", BadgeChange(op: .clear))]
        for (op, change) in others {
            let sent = Self.sent(["badge": [op]], over: counted)
            #expect(sent.problems.isEmpty && sent.draft.push?.badge == change)
        }
    }

    @Test("CON-11: where an in-app message leads needs what does so")
    func actions() {
        let link = ["shop://sale"]
        Self.rejected(["tapTarget": link], over: Self.inApp(), at: "tapTarget", "Choose an action for it")
        Self.rejected(
            ["tapDoes": ["close"], "tapTarget": link], over: Self.inApp(), at: "tapTarget", "Choose another action"
        )
        Self.rejected(
            ["actionDoes": [""], "actionTarget": link], over: Self.inApp(.action), at: "actionTarget.0",
            "Choose an action for it"
        )
        Self.rejected(
            ["buttonText": ["Look"], "buttonDoes": ["close"], "buttonTarget": link], over: Self.inApp(),
            at: "buttonTarget.0", "Choose another action"
        )
        var opens = Self.inApp()
        opens.inApp?.content.action = InAppAction(type: .openUrl, url: "shop://sale")
        let nothing = Self.sent(["tapDoes": [""]], over: opens)
        #expect(nothing.problems.isEmpty && nothing.draft.inApp?.content.action == nil)
    }

    @Test("CON-11: conditions of events need an event, and stand as rows or as JSON")
    func trigger() {
        let row = ["filterName": ["price"], "filterOp": [">"], "filterValue": ["10"]]
        let unnamed = row.merging(["trigger": [" "]]) { $1 }
        Self.rejected(unnamed, over: Self.inApp(), at: "trigger", "Name the event")
        Self.rejected(["trigger": [" "], "occurrence": ["3"]], over: Self.inApp(), at: "occurrence", "Name the event")
        Self.rejected(
            row.merging(["type": ["inline"]]) { $1 }, over: Self.inApp(), at: "trigger", "Empty the conditions"
        )
        let both = row.merging(["filterJSON": ["{\"attribute\":\"price\",\"op\":\">\",\"value\":10}"]]) { $1 }
        Self.rejected(both, over: Self.inApp(), at: "filterName.0", "Empty one of the two")
    }

    @Test("CON-11: such a form is a 422 that keeps what was typed, and nothing is saved")
    func page() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let new = "\(CampaignStory.list)/new"
            let form = try #require(PageForm(try await marketer.get(new).text, id: "compose"))
            let typed = [
                "name": ["N"], "title": ["T"], "body": ["B"], "subject": ["attribute:city"], "op": ["=="],
                "value": ["Berlin"], "at": ["2027-01-04T09:00"], "centerSubject": ["Kept"], "badgeValue": ["3"],
                "quietFrom": ["23:00"],
            ]
            let answer = try await marketer.send(new, CampaignStory.changed(form, typed))
            #expect(answer.status == .unprocessableContent)
            #expect(answer.text.contains("Nothing was saved. 5 fields need your attention."))
            for field in ["value-0", "at", "centerSubject", "badgeValue", "quietFrom"] {
                #expect(answer.text.contains("id=\"\(field)-error\""), "\(field)")
            }
            let kept = try #require(PageForm(answer.text, id: "compose"))
            for (name, values) in typed { #expect(kept[name].first == values.first, "\(name)") }
            #expect(try await console.services.campaigns.queries.list(app: story.app, before: nil, limit: 1).isEmpty)
            // As it is told: each option is chosen, or its field emptied.
            let chosen: [String: [String]] = [
                "audience": ["clauses"], "when": ["at"], "keep": ["yes"], "badgeValue": [""], "quiet": ["yes"],
            ]
            let saved = try await marketer.send(new, CampaignStory.changed(kept, chosen))
            #expect(saved.status == .seeOther, "\(saved.text.prefix(2_000))")
            let id = try #require(CampaignStory.id(saved))
            let draft = try await console.services.campaigns.queries.campaign(id, app: story.app).draft
            #expect(draft.audience == .attribute("city", .equal("Berlin")) && draft.schedule?.at != nil)
            #expect(draft.messageCenter?.subject == "Kept" && draft.schedule?.quietHours != nil)
        }
    }
}
