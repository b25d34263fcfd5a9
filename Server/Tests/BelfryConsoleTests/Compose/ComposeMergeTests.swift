import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-5: what two people have made of one draft is brought together")
struct ComposeMergeTests {
    private static let basis = ComposeBasis(
        schema: ["city": .string, "visits": .number, "vip": .boolean], zone: AppZone(named: "Europe/Paris"),
        centers: [MessageCenter(name: .primary)]
    )

    private static let push = CampaignDraft(
        name: "Sale", kind: .push, audience: .everyone, push: PushContent(title: "T", body: "B")
    )

    /// The draft as its form shows it, with what somebody has typed.
    private static func typed(_ values: [String: [String]], over draft: CampaignDraft) -> ComposeForm {
        var fields = ComposeForm(draft, basis).fields
        for (name, all) in values { fields.set(name, all) }
        return ComposeForm(fields, kind: draft.kind)
    }

    private static func changed(
        _ draft: CampaignDraft, _ change: (inout CampaignDraft) -> Void
    ) -> CampaignDraft {
        var changed = draft
        change(&changed)
        return changed
    }

    /// What is saved when nobody changes the merged form any more.
    private static func saved(
        _ merge: ComposeMerge, over now: CampaignDraft, taking theirs: [String] = []
    ) throws -> CampaignDraft {
        var fields = merge.fields
        fields.set(ComposeForm.choice, theirs)
        return try ComposeForm(fields, kind: now.kind).choosing(from: now, basis).draft(over: now, basis)
    }

    @Test("CON-5: what only one of the two has changed is as that person left it")
    func apart() throws {
        let base = Self.push
        let now = Self.changed(base) { draft in
            draft.push?.body = "Theirs"
            draft.push?.ttlSeconds = 60
            draft.audience = .tag("sports")
        }
        let mine = Self.typed(["title": ["Mine"], "sound": ["bell"]], over: base)
        let merge = ComposeMerge(mine, from: base, over: now, Self.basis)
        #expect(merge.marks == ["body": .theirs, "ttl": .theirs, "audience": .theirs] && merge.remarks.isEmpty)
        #expect(merge.fields["title"] == "Mine" && merge.fields["body"] == "Theirs")
        let expected = Self.changed(now) { draft in
            draft.push?.title = "Mine"
            draft.push?.sound = "bell"
        }
        #expect(try Self.saved(merge, over: now) == expected)
    }

    @Test("CON-5: what both have changed stays as it was typed, is told beside theirs, and theirs is one press away")
    func both() throws {
        let base = Self.push
        let now = Self.changed(base) { draft in
            draft.push?.title = "Theirs"
            draft.schedule = CampaignSchedule(at: Timestamp.date("2026-12-01T17:00:00Z"))
        }
        let mine = Self.typed(
            ["title": ["Mine"], "when": ["local"], "at": ["2026-12-02T09:00"], "body": ["New"]], over: base
        )
        let merge = ComposeMerge(mine, from: base, over: now, Self.basis)
        #expect(
            merge.marks == [
                "title": .both("Theirs", offer: "title"), "when": .both("at", offer: "when"),
                // The two fields say one thing: one press takes both.
                "at": .both("2026-12-01T18:00", offer: nil),
            ]
        )
        #expect(merge.sentence.contains("In 2 places you both changed the same field"))
        let kept = try Self.saved(merge, over: now)
        #expect(kept.push?.title == "Mine" && kept.push?.body == "New")
        #expect(kept.schedule == CampaignSchedule(localAt: LocalDateTime("2026-12-02T09:00")))
        let taken = try Self.saved(merge, over: now, taking: ["title", "when"])
        #expect(taken.push?.title == "Theirs" && taken.push?.body == "New" && taken.schedule == now.schedule)
        // The same change by both is none to ask about.
        let same = Self.typed(["title": ["Theirs"]], over: base)
        let merged = ComposeMerge(same, from: base, over: now, Self.basis)
        #expect(Set(merged.marks.keys) == ["when", "at"] && merged.marks.values.allSatisfy { $0 == .theirs })
    }

    @Test("CON-5: two people translate one push: each language, and each text of it, is that of whoever changed it")
    func languages() throws {
        let base = Self.changed(Self.push) { draft in
            draft.push?.variants = [
                "de": PushVariant(title: "Hallo", body: "Komm"), "it": PushVariant(title: "Ciao"),
                "nl": PushVariant(title: "Hoi"), "pl": PushVariant(title: "Czesc"),
            ]
        }
        let now = Self.changed(base) { draft in
            draft.push?.variants?["de"]?.body = "Komm heute"
            draft.push?.variants?["nl"] = nil
            draft.push?.variants?["pl"]?.title = "Hej"
            draft.push?.variants?["fr"] = PushVariant(title: "Bonjour")
        }
        let shown = ComposeForm(base, Self.basis).fields
        #expect(shown.all("variantLocale") == ["de", "it", "nl", "pl"])
        // German is changed, Polish removed, Spanish added.
        let mine = Self.typed(
            [
                "variantWas": ["de", "it", "nl", "pl", ""], "variantLocale": ["de", "it", "nl", "", "es"],
                "variantTitle": ["Guten Tag", "Ciao", "Hoi", "", "Hola"],
                "variantSubtitle": ["", "", "", "", ""], "variantBody": ["Komm", "", "", "", ""],
                "variantImage": ["", "", "", "", ""],
            ], over: base
        )
        let merge = ComposeMerge(mine, from: base, over: now, Self.basis)
        #expect(merge.fields.all("variantLocale") == ["de", "fr", "it", "pl", "es"])
        #expect(
            merge.marks == ["variantBody.0": .theirs, "variantLocale.1": .theirs, "variantLocale.3": .removed]
        )
        #expect(merge.remarks == ["They have removed 'nl'."])
        let expected: [String: PushVariant] = [
            "de": PushVariant(title: "Guten Tag", body: "Komm heute"), "fr": PushVariant(title: "Bonjour"),
            "it": PushVariant(title: "Ciao"), "pl": PushVariant(title: "Hej"), "es": PushVariant(title: "Hola"),
        ]
        #expect(try Self.saved(merge, over: now).push?.variants == expected)
    }

    @Test("CON-5: a language that both have added is asked for text by text, one that they have removed as a whole")
    func sameLanguage() throws {
        let base = Self.changed(Self.push) { $0.push?.variants = ["de": PushVariant(title: "Hallo")] }
        let now = Self.changed(base) { draft in
            draft.push?.variants = ["fr": PushVariant(title: "Bonjour", body: "Viens")]
        }
        let mine = Self.typed(
            [
                "variantWas": ["de", ""], "variantLocale": ["de", "fr"], "variantTitle": ["Guten Tag", "Salut"],
                "variantSubtitle": ["", ""], "variantBody": ["", ""], "variantImage": ["", ""],
            ], over: base
        )
        let merge = ComposeMerge(mine, from: base, over: now, Self.basis)
        #expect(
            merge.marks == [
                "variantTitle.0": .both("Bonjour", offer: "variantTitle.0"), "variantBody.0": .theirs,
                "variantLocale.1": .both("removed", offer: "variantLocale.1"),
            ]
        )
        let kept = try Self.saved(merge, over: now).push?.variants
        #expect(kept == ["fr": PushVariant(title: "Salut", body: "Viens"), "de": PushVariant(title: "Guten Tag")])
        let taken = try Self.saved(merge, over: now, taking: ["variantTitle.0", "variantLocale.1"])
        #expect(taken == now)
    }

    @Test("CON-5: what does not fit into the form beside what was typed is told, and what was typed is not lost")
    func fullRows() throws {
        func buttons(_ names: [String]) -> [NotificationButton] { names.map { NotificationButton(id: $0, text: $0) } }
        let base = Self.changed(Self.push) { $0.push?.buttons = buttons(["a", "b", "c"]) }
        let now = Self.changed(base) { $0.push?.buttons = buttons(["a", "b", "c", "d"]) }
        let mine = Self.typed(
            [
                "buttonWas": ["a", "b", "c", ""], "buttonText": ["a", "b", "c", "Mine"],
                "buttonLink": ["", "", "", ""], "buttonId": ["a", "b", "c", ""],
            ], over: base
        )
        let merge = ComposeMerge(mine, from: base, over: now, Self.basis)
        #expect(merge.fields.all("buttonText") == ["a", "b", "c", "Mine"])
        #expect(merge.remarks == ["There is no room for the row that they added: 'd'."])
    }

    @Test("CON-5: an audience that both have changed is asked for as a whole, in words")
    func audience() throws {
        let now = Self.changed(Self.push) { $0.audience = .tag("sports") }
        let mine = Self.typed(
            ["audience": ["clauses"], "subject": ["attribute:city"], "op": ["=="], "value": ["Paris"]], over: Self.push
        )
        let merge = ComposeMerge(mine, from: Self.push, over: now, Self.basis)
        let words = "Devices whose contact has the tag 'sports'."
        #expect(merge.marks == ["audience": .both(words, offer: "audience")])
        #expect(try Self.saved(merge, over: now).audience == .attribute("city", .equal("Paris")))
        #expect(try Self.saved(merge, over: now, taking: ["audience"]) == now)
    }

    @Test("CON-5: colors of an in-app message are fields by themselves; its conditions and steps are told in words")
    func inApp() throws {
        let base = CampaignDraft(
            name: "N", kind: .inApp, audience: .everyone,
            inApp: InAppDraft(
                type: .modal, trigger: InAppTrigger(event: "purchase"), content: InAppContent(body: "B")
            )
        )
        let now = Self.changed(base) { draft in
            draft.inApp?.content.colors = InAppColors(background: "#FFFFFF", text: "#111111")
            draft.inApp?.trigger?.filter = .attribute("price", .greater(10))
            draft.inApp?.content.actions = [InAppAction(type: .openUrl, url: "shop://sale")]
        }
        let mine = Self.typed(
            [
                "text": ["#222222"], "button": ["#333333"], "filterName": ["price"], "filterOp": ["<"],
                "filterValue": ["5"], "actionDoes": ["pushSettings"], "actionTarget": [""],
            ], over: base
        )
        let merge = ComposeMerge(mine, from: base, over: now, Self.basis)
        #expect(
            merge.marks == [
                "background": .theirs, "text": .both("#111111", offer: "text"),
                "filterMatch": .both("Events whose price is greater than 10.", offer: "filterMatch"),
                "actionDoes.0": .both("Open an address: shop://sale", offer: "actionDoes.0"),
            ]
        )
        let kept = try Self.saved(merge, over: now).inApp
        #expect(kept?.content.colors == InAppColors(background: "#FFFFFF", text: "#222222", button: "#333333"))
        #expect(kept?.trigger?.filter == .attribute("price", .less(5)))
        let taken = try Self.saved(merge, over: now, taking: ["text", "filterMatch", "actionDoes.0"])
        let expected = Self.changed(now) { $0.inApp?.content.colors?.button = "#333333" }
        #expect(taken == expected)
    }

    @Test("CON-5: where nobody knows what a form began from, all that differs is told, and nothing is dropped")
    func unknownBase() throws {
        let now = Self.changed(Self.push) { draft in
            draft.push?.body = "Theirs"
            draft.push?.variants = ["fr": PushVariant(title: "Bonjour")]
        }
        let mine = Self.typed(
            [
                "title": ["Mine"], "variantWas": ["de"], "variantLocale": ["de"], "variantTitle": ["Hallo"],
                "variantSubtitle": [""], "variantBody": [""], "variantImage": [""],
            ], over: Self.push
        )
        let merge = ComposeMerge(mine, from: nil, over: now, Self.basis)
        #expect(
            merge.marks == [
                "title": .both("T", offer: "title"), "body": .both("Theirs", offer: "body"),
                "variantLocale.0": .theirs, "variantLocale.1": .both("removed", offer: "variantLocale.1"),
            ]
        )
        #expect(merge.fields["title"] == "Mine" && merge.fields["body"] == "B")
    }

    @Test(
        "CON-5: of random drafts the change of one alone is that change, to the last part",
        arguments: CampaignKind.allCases
    )
    func alone(_ kind: CampaignKind) throws {
        var drafts = RandomDrafts(dice: SeededGenerator(seed: 21))
        for round in 0..<16 {
            let (base, now) = (drafts.draft(kind), drafts.draft(kind))
            // Nothing was typed here.
            let theirs = ComposeMerge(ComposeForm(base, Self.basis), from: base, over: now, Self.basis)
            #expect(theirs.marks.values.allSatisfy { $0 == .theirs }, "round \(round): \(theirs.marks)")
            #expect(try Self.saved(theirs, over: now) == now, "round \(round)")
            // Nothing was saved there. A row that was added here is known by no key.
            let shown = ComposeForm(base, Self.basis).fields
            var fields = ComposeForm(now, Self.basis).fields
            for key in ["buttonWas", "variantWas", "centerVariantWas"] {
                fields.set(key, fields.all(key).map { shown.all(key).contains($0) ? $0 : "" })
            }
            // A page has a row more than are used.
            for part in ComposeForm.parts(of: kind) where !part.names.contains(where: fields.contains) {
                for name in part.names { fields.set(name, [""]) }
            }
            let mine = ComposeForm(fields, kind: kind)
            let own = ComposeMerge(mine, from: base, over: base, Self.basis)
            #expect(own.marks.isEmpty && own.remarks.isEmpty, "round \(round): \(own.marks) \(own.remarks)")
            for part in ComposeForm.parts(of: kind) {
                #expect(part.isSame(own.fields, mine.fields), "round \(round): \(part.names)")
            }
        }
    }

    @Test("CON-5: a mark stands at its field, which its block unfolds, with a press for theirs")
    func page() throws {
        let now = Self.changed(Self.push) { draft in
            draft.push?.title = "<b>Theirs</b>"
            draft.push?.sound = "bell"
            draft.push?.interruptionLevel = .passive
        }
        let mine = Self.typed(["title": ["Mine"], "interruption": ["active"]], over: Self.push)
        let merge = ComposeMerge(mine, from: Self.push, over: now, Self.basis)
        let model = ComposeModel(
            ComposeForm(merge.fields, kind: .push), FormProblems(), Self.basis,
            place: ComposePlace(base: "/c", campaign: CampaignID(7), version: "v", formToken: "t", number: 3),
            alert: .merged(merge, "draft", page: "/c/7"), marks: merge.marks
        )
        let html = try PageTemplates(PageSources.all).render("compose", model)
        for words in [
            "Somebody else has changed this draft since you opened it.", "href=\"/c/7\" target=\"_blank\"",
            "id=\"title-stored\">Saved by somebody else since: <code>&lt;b&gt;Theirs&lt;/b&gt;</code>",
            "name=\"theirs\" value=\"title\">", "aria-describedby=\"title-stored\"",
            "id=\"interruption-stored\">Saved by somebody else since: <code>Not at all: it is only listed</code>",
            "id=\"sound-meanwhile\">Somebody else has changed this.",
            "<details class=\"fold\" open><summary>Sound, lifetime, groups", "name=\"from\" value=\"3\"",
            "name=\"zone\" value=\"Europe/Paris\"",
        ] {
            #expect(html.contains(words), "\(words)")
        }
        #expect(PageForm(html, id: "compose")?["theirs"] == [])
    }
}
