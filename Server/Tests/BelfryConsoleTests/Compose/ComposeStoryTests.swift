import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-5: campaigns of every kind are composed, previewed and edited")
struct ComposeStoryTests {
    private static let new = "\(CampaignStory.list)/new"

    private static func form(_ kind: CampaignKind, _ browser: Browser) async throws -> PageForm {
        let page = try await browser.get("\(new)?kind=\(kind.rawValue)")
        #expect(page.status == .ok)
        return try #require(PageForm(page.text, id: "compose"))
    }

    @Test("CON-5, CON-8: an in-app message is composed, shown on its own page in a sandboxed frame, and edited")
    func inApp() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let form = try await Self.form(.inApp, marketer)
            #expect(form["trigger"] == ["session:start"])
            let filled = CampaignStory.changed(
                form,
                [
                    "name": ["Welcome"], "type": ["modal"], "title": ["Hello {{city}}"], "body": ["Come in"],
                    "trigger": ["purchase"], "occurrence": ["3"], "limit": ["2"], "priority": ["5"], "delay": ["4"],
                    "ends": ["2027-02-01T10:00"], "filterName": ["price"], "filterOp": [">"], "filterValue": ["10"],
                    "buttonText": ["Look"], "buttonDoes": ["openUrl"], "buttonTarget": ["shop://sale"],
                    "variantLocale": ["ar"], "variantTitle": ["مرحبا"], "defaults": ["city = you"],
                ]
            )
            let saved = try await marketer.send(Self.new, filled)
            #expect(saved.status == .seeOther, "\(saved.text.prefix(2_000))")
            let id = try #require(CampaignStory.id(saved))
            let message = try #require(
                try await console.services.campaigns.queries.campaign(id, app: story.app).draft.inApp
            )
            #expect(
                message.trigger
                    == InAppTrigger(event: "purchase", filter: .attribute("price", .greater(10)), occurrence: 3))
            #expect(message.displayLimit == 2 && message.priority == 5 && message.delaySeconds == 4)
            #expect(message.content.buttons?.first?.action == InAppAction(type: .openUrl, url: "shop://sale"))
            #expect(message.variants?["ar"]?.title == "مرحبا" && message.defaults == ["city": "you"])

            let page = try await marketer.get("\(CampaignStory.list)/\(id)")
            for words in [
                "sandbox=\"allow-scripts\" src=\"\(CampaignStory.list)/\(id)/page?part=inApp", "A card over the app.",
                "At the 3rd event &#39;purchase&#39; whose price is greater than 10, 4 seconds later.",
                "at most 2 times", "Its priority is 5", "until 1 Feb 2027",
            ] {
                #expect(page.text.contains(words), "\(words)")
            }
            let frame = try await marketer.get(
                "\(CampaignStory.list)/\(id)/page?part=inApp&look=dark&size=large&locale=ar")
            let policy = frame.headers[.contentSecurityPolicy] ?? ""
            #expect(policy.hasPrefix("sandbox allow-scripts;") && policy.contains("frame-ancestors 'self'"))
            for words in ["class=\"modal\"", "dir=\"rtl\"", "font-size:150%", "content=\"dark\"", "مرحبا"] {
                #expect(frame.text.contains(words), "\(words)")
            }
            let edit = "\(CampaignStory.list)/\(id)/edit"
            let again = try #require(PageForm(try await marketer.get(edit).text, id: "compose"))
            #expect(again["buttonTarget"].first == "shop://sale" && again["filterName"].first == "price")
            let changed = CampaignStory.changed(again, ["title": ["Hi {{city}}"]])
            #expect(try await marketer.send(edit, changed).status == .seeOther)
            var expected = message
            expected.content.title = "Hi {{city}}"
            #expect(try await console.services.campaigns.queries.campaign(id, app: story.app).draft.inApp == expected)
        }
    }

    @Test("CON-5: every look of the renderer can be composed", arguments: InAppType.allCases)
    func looks(_ type: InAppType) async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            var changes: [String: [String]] = ["name": ["N"], "type": [type.rawValue]]
            switch type {
            case .html: changes["html"] = ["<p>Hello {{city}}</p>"]
            case .action: changes.merge(["actionDoes": ["pushSettings"], "actionTarget": [""]]) { $1 }
            case .fullImage: changes["image"] = ["https://example.com/a.png"]
            case .inline: changes.merge(["viewId": ["home"], "body": ["Hello"]]) { $1 }
            default: changes["body"] = ["Hello"]
            }
            let form = CampaignStory.changed(try await Self.form(.inApp, marketer), changes)
            let saved = try await marketer.send(Self.new, form)
            #expect(saved.status == .seeOther, "\(saved.text.prefix(3_000))")
            let preview = try await marketer.send("\(CampaignStory.list)/preview", form)
            #expect(preview.text.contains("data-page=") == (type != .action))
            let page = try await marketer.send("\(CampaignStory.list)/preview/page?part=inApp&look=light", form)
            #expect(
                page.status == .ok && page.headers[.contentSecurityPolicy]?.hasPrefix("sandbox allow-scripts") == true)
            #expect(page.text.contains("class=\"\(type.rawValue)\"") == (type != .action))
        }
    }

    @Test("CON-5: a push has everything that a marketer expects, and its zones, people and languages are seen")
    func push() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 2)
            let marketer = try await story.person(.marketer)
            let ann = try await story.person(
                "ann@example.com", device: 1, ["city": "Paris", "visits": 3], zone: "Europe/Paris")
            _ = try await story.person("ben@example.com", device: 2, ["city": "Tokyo"], zone: "Asia/Tokyo")
            let form = CampaignStory.changed(
                try await Self.form(.push, marketer),
                [
                    "name": ["Sale"], "title": ["Hello {{city}}"], "subtitle": ["Today"], "body": ["Come"],
                    "image": ["https://example.com/a.png"], "link": ["shop://sale"], "sound": ["default"],
                    "collapseId": ["sale"], "ttl": ["3600"], "interruption": ["timeSensitive"], "threadId": ["offers"],
                    "badge": ["increment"], "badgeValue": ["2"], "buttonText": ["Look"], "buttonLink": ["shop://look"],
                    "variantLocale": ["de"], "variantTitle": ["Hallo {{city}}"], "defaults": ["city = you"],
                    "custom": ["{\"screen\":\"sale\"}"], "when": ["local"], "at": ["2027-01-04T09:00"],
                    "capCount": ["3"], "capWithin": ["7"], "capUnit": ["D"], "rate": ["100"], "audience": ["clauses"],
                    "subject": ["attribute:city"], "op": ["exists"],
                ]
            )
            let saved = try await marketer.send(Self.new, form)
            #expect(saved.status == .seeOther, "\(saved.text.prefix(3_000))")
            let id = try #require(CampaignStory.id(saved))
            let draft = try await console.services.campaigns.queries.campaign(id, app: story.app).draft
            let push = try #require(draft.push)
            #expect(
                push.buttons == [
                    NotificationButton(
                        id: "button1", text: "Look", action: NotificationAction(type: .openUrl, url: "shop://look"))
                ])
            #expect(push.sound == "default" && push.ttlSeconds == 3_600 && push.collapseId == "sale")
            #expect(push.interruptionLevel == .timeSensitive && push.badge == BadgeChange(op: .increment, value: 2))
            #expect(push.custom == ["screen": "sale"] && push.variants?["de"]?.title == "Hallo {{city}}")
            #expect(draft.schedule?.frequencyCap == FrequencyCap(count: 3, within: try ISODuration("P7D")))

            let preview = "\(CampaignStory.list)/preview"
            let seen = try await marketer.send(
                preview,
                CampaignStory.changed(
                    PageForm.of(form),
                    [
                        "previewPerson": ["contact"], "previewKey": ["ann@example.com"], "previewLocale": ["de"],
                        "previewSize": ["large"], "previewLook": ["dark"], "previewDirection": ["rtl"],
                    ]))
            for words in [
                "Hallo Paris", "phone-screen dark large", "dir=\"rtl\"", "notification-badge\">2<", "Look",
                "https://example.com/a.png", "2 devices are in this audience now.", "ann@example.com",
                "/console/apps/shop/people/\(ann)", "city: Paris", "Asia/Tokyo", "Europe/Paris", "4 Jan 2027",
            ] {
                #expect(seen.text.contains(words), "\(words)")
            }
            #expect(!seen.text.contains("Hallo Tokyo"))
            let typed = try await marketer.send(
                preview,
                CampaignStory.changed(
                    PageForm.of(form), ["previewPerson": ["empty"], "previewValues": ["city = Rome"]]))
            #expect(typed.text.contains("Hello Rome"))
            let empty = try await marketer.send(
                preview, CampaignStory.changed(PageForm.of(form), ["previewPerson": ["empty"]]))
            #expect(empty.text.contains("Hello you"))
            let unknownKey = try await marketer.send(
                preview, CampaignStory.changed(PageForm.of(form), ["previewPerson": ["contact"], "previewKey": ["an"]]))
            #expect(
                unknownKey.text.contains("No contact has the key")
                    && unknownKey.text.contains("data-choose=\"previewKey\">ann@example.com<"))
        }
    }

    @Test("CON-5, CON-11: a refused form keeps what was typed in every field, and says at each what to do")
    func rejected() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let push: [String: [String]] = [
                "name": ["N"], "title": ["T"], "body": ["B"], "ttl": ["soon"], "capCount": ["many"], "rate": ["fast"],
                "expires": ["later"], "custom": ["[]"], "defaults": ["no sign"], "badge": ["set"], "badgeValue": ["x"],
                "quiet": ["yes"], "quietFrom": ["late"], "variantLocale": [""], "variantTitle": ["Hallo"],
                "when": ["at"], "at": ["tomorrow"], "audience": ["clauses"], "subject": ["event"], "value": ["buy"],
                "times": ["often"],
            ]
            let form = CampaignStory.changed(try await Self.form(.push, marketer), push)
            let answer = try await marketer.send(Self.new, form)
            #expect(answer.status == .unprocessableContent)
            for field in [
                "ttl", "capCount", "rate", "expires", "custom", "defaults", "badgeValue", "quietFrom",
                "variantLocale-0", "at", "value-0",
            ] {
                #expect(answer.text.contains("id=\"\(field)-error\""), "\(field)")
            }
            let kept = try #require(PageForm(answer.text, id: "compose"))
            for (name, values) in push { #expect(kept[name].first == values.first, "\(name)") }
            let inApp: [String: [String]] = [
                "name": ["N"], "body": ["B"], "limit": ["0"], "priority": ["first"], "delay": ["x"],
                "occurrence": ["y"],
                "starts": ["z"], "background": ["red"], "buttonText": ["B"], "buttonDoes": ["openUrl"],
                "buttonTarget": [""], "filterJSON": ["{"],
            ]
            let second = try await marketer.send(
                Self.new, CampaignStory.changed(try await Self.form(.inApp, marketer), inApp)
            )
            #expect(second.status == .unprocessableContent)
            for field in ["priority", "delay", "occurrence", "starts", "filterJSON"] {
                #expect(second.text.contains("id=\"\(field)-error\""), "\(field)")
            }
            var third = inApp
            third.merge(["priority": [""], "delay": [""], "occurrence": [""], "starts": [""], "filterJSON": [""]]) {
                $1
            }
            let services = try await marketer.send(
                Self.new, CampaignStory.changed(try await Self.form(.inApp, marketer), third)
            )
            #expect(services.status == .unprocessableContent)
            for field in ["limit", "background", "buttonTarget-0"] {
                #expect(services.text.contains("id=\"\(field)-error\""), "\(field)")
            }
            #expect(try await console.services.campaigns.queries.list(app: story.app, before: nil, limit: 1).isEmpty)
        }
    }

    @Test(
        "CON-5: what hostile people write stands escaped on every page of composing", arguments: CampaignKind.allCases)
    func hostile(_ kind: CampaignKind) async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let form = try await Self.form(kind, marketer)
            for text in HostileMarkup.all {
                let skipped = ["formToken", "version", "campaign", "kind", "audience", "when"]
                let values = form.values.filter { !skipped.contains($0.key) }.mapValues { $0.map { _ in text } }
                let answer = try await marketer.send(Self.new, CampaignStory.changed(form, values))
                #expect(answer.status == .unprocessableContent, "\(text.prefix(20))")
                Self.isEscaped(answer.text)
                if text == HostileMarkup.script { #expect(answer.text.contains("&lt;script&gt;alert")) }
                let preview = try await marketer.send(
                    "\(CampaignStory.list)/preview", CampaignStory.changed(form, values))
                #expect(preview.status == .ok)
                Self.isEscaped(preview.text)
            }
        }
    }

    private static func isEscaped(_ html: String) {
        #expect(
            !html.contains("<script>alert") && !html.contains("<img src=x") && !html.contains("\" autofocus onfocus=\"")
        )
    }
}

extension PageForm {
    /// Values that are sent.
    static func of(_ values: [String: [String]]) -> PageForm {
        var form = PageForm()
        for (name, list) in values { form[name] = list }
        return form
    }

    private init() {}
}
