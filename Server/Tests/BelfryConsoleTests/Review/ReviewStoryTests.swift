import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-5: versions, comments and approval on the pages")
struct ReviewStoryTests {
    /// A rehearsal that is done, of what the campaign says now.
    private static func rehearse(_ id: CampaignID, _ story: CampaignStory) async throws {
        let draft = try await story.console.services.campaigns.queries.campaign(id, app: story.app).draft
        let (app, now, version) = (story.app.id, story.console.clock.now, try DraftVersion(draft).text)
        try await story.console.database.write { connection in
            let number = try connection.rehearsals.insert(campaign: id, app: app, version: version, now: now)
            try connection.execute(
                "UPDATE rehearsals SET status = 'done', ended_at = ? WHERE id = ?", [.date(now), .integer(number)]
            )
        }
    }

    /// The fields of the form that has this button.
    private static func fields(_ page: String, before button: String) -> [String: String] {
        guard let end = page.range(of: button),
            let start = page[..<end.lowerBound].range(of: "<form", options: .backwards)
        else { return [:] }
        var fields: [String: String] = [:]
        for part in page[start.upperBound..<end.lowerBound].split(separator: "name=\"").dropFirst() {
            let name = String(part.prefix { $0 != "\"" })
            guard let value = part.range(of: "value=\"") else { continue }
            fields[name] = String(part[value.upperBound...].prefix { $0 != "\"" })
        }
        return fields
    }

    @Test("CON-5: a marketer composes, an approver approves, and only then it is launched; an edit begins anew")
    func approval() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            try await story.askForApprovals()
            let (marketer, approver) = (try await story.person(.marketer), try await story.person(.approver))
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            let composed = try await marketer.get(page).text
            #expect(composed.contains("This app requires an approval") && composed.contains("Not approved"))
            #expect(composed.contains("was not rehearsed yet"))
            let launch = Self.fields(composed, before: ">Launch now<")
            let rejected = try await marketer.submit("\(page)/launch", launch)
            #expect(rejected.status == .conflict && rejected.text.contains("nobody has approved version 1"))
            // Said once.
            #expect(!rejected.text.contains("This app requires an approval"))

            try await Self.rehearse(id, story)
            let asked = Self.fields(try await marketer.get(page).text, before: ">Ask for an approval<")
            #expect(try await marketer.submit("\(page)/approval/request", asked).status == .seeOther)
            #expect(try await marketer.get(page).text.contains("You edited version 1, so another person approves it."))
            #expect(try await marketer.get(CampaignStory.list).text.contains("Approval requested"))

            let seen = try await approver.get(page).text
            #expect(seen.contains("marketer asked for an approval of version 1"))
            let form = Self.fields(seen, before: ">Approve version 1<")
            #expect(form["version"] == "1" && form["rehearsal"] == "1")
            #expect(try await approver.submit("\(page)/approval/approve", form).status == .seeOther)
            #expect(try await approver.get(page).text.contains("approver approved version 1 after rehearsal 1."))

            var edit = try await console.services.campaigns.queries.campaign(id, app: story.app).draft
            edit.push?.title = "Other"
            _ = try await console.services.campaigns.drafts.update(id, with: edit, by: .key("key-7"), app: story.app)
            #expect(try await marketer.get(page).text.contains("Not approved"))
            let stale = try await approver.submit("\(page)/approval/approve", form)
            #expect(stale.status == .conflict && stale.text.contains("its newest version is 2"))

            try await Self.rehearse(id, story)
            let again = Self.fields(try await approver.get(page).text, before: ">Approve version 2<")
            #expect(try await approver.submit("\(page)/approval/approve", again).status == .seeOther)
            let ready = Self.fields(try await marketer.get(page).text, before: ">Launch now<")
            #expect(try await marketer.submit("\(page)/launch", ready).status == .seeOther)
            #expect(try await console.services.campaigns.queries.campaign(id, app: story.app).status == .sending)
        }
    }

    @Test("CON-5: who composed it sees no button to approve it, an admin neither, and the call is refused")
    func ownVersion() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            try await story.askForApprovals()
            let admin = try await story.person(.admin)
            let id = try #require(try await story.compose(admin))
            try await Self.rehearse(id, story)
            let page = "\(CampaignStory.list)/\(id)"
            #expect(try await admin.get(page).text.contains("Approve version 1") == false)
            let forged = try await admin.submit("\(page)/approval/approve", ["version": "1", "rehearsal": "1"])
            #expect(forged.status == .conflict && forged.text.contains("You edited version 1 yourself."))
        }
    }

    @Test("CON-5: nobody is taken for another person by calling themselves so")
    func namesakes() {
        func words(_ name: String?, _ shown: String?) -> String {
            NamedAuthor(.user(1), userName: name, displayName: shown).words
        }
        #expect(words("bert", "Bert") == "Bert")
        #expect(words("mallory@example.com", "Bert") == "Bert (mallory@example.com)")
        #expect(words(nil, nil) == "a person who was removed")
        #expect(NamedAuthor(.key("key-7")).words == "the key key-7")
    }

    @Test("CON-5, CON-11: a rejection needs a reason, which its author reads")
    func rejection() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            try await story.askForApprovals()
            let (marketer, approver) = (try await story.person(.marketer), try await story.person(.approver))
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            var form = Self.fields(try await approver.get(page).text, before: ">Reject version 1<")
            form["reason"] = " "
            let blank = try await approver.submit("\(page)/approval/reject", form)
            #expect(blank.status == .unprocessableContent && blank.text.contains("id=\"reason-error\""))
            form["reason"] = "The <b>price</b> is wrong."
            #expect(try await approver.submit("\(page)/approval/reject", form).status == .seeOther)
            let seen = try await marketer.get(page).text
            #expect(
                seen.contains("approver rejected version 1") && seen.contains("The &lt;b&gt;price&lt;/b&gt; is wrong."))
            #expect(seen.contains("Rejected"))
        }
    }

    @Test("CON-5: comments stand on the campaign's page, and are deleted by their author and by an admin")
    func comments() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let (marketer, approver) = (try await story.person(.marketer), try await story.person(.approver))
            let (viewer, admin) = (try await story.person(.viewer), try await story.person(.admin))
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            #expect(try await viewer.get(page).text.contains("Nobody has said anything about this campaign yet."))
            #expect(try await viewer.submit("\(page)/comments", ["text": "Hi"]).status == .forbidden)
            let text = "First <i>line</i>\nSecond line"
            #expect(try await marketer.submit("\(page)/comments", ["text": text]).status == .seeOther)
            #expect(try await approver.submit("\(page)/comments", ["text": "Fine."]).status == .seeOther)
            let seen = try await viewer.get(page).text
            #expect(seen.contains("<p>First &lt;i&gt;line&lt;/i&gt;</p><p>Second line</p>") && seen.contains("Fine."))
            #expect(!seen.contains("/delete\""))
            let long = String(repeating: "x", count: 2_001)
            let rejected = try await marketer.submit("\(page)/comments", ["text": long])
            #expect(rejected.status == .unprocessableContent && rejected.text.contains(long))
            #expect(rejected.text.contains("id=\"comment-error\""))
            let own = try await marketer.get(page).text
            #expect(own.contains("\(page)/comments/1/delete") && !own.contains("\(page)/comments/2/delete"))
            #expect(try await marketer.submit("\(page)/comments/2/delete").status == .forbidden)
            #expect(try await marketer.submit("\(page)/comments/1/delete").status == .seeOther)
            #expect(try await admin.submit("\(page)/comments/2/delete").status == .seeOther)
            #expect(try await viewer.get("\(page)/comments").text.contains("Nobody has said anything here."))
        }
    }

    @Test("CON-5: many comments and versions have pages of their own")
    func manyComments() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            for number in 1...60 {
                _ = try await console.services.campaignReviews.comment(
                    "Comment \(number).", on: id, by: .key("root"), app: story.app
                )
            }
            let page = "\(CampaignStory.list)/\(id)"
            let short = try await marketer.get(page).text
            #expect(short.contains("Comment 60.") && !short.contains("Comment 40.") && short.contains("All comments"))
            let first = try await marketer.get("\(page)/comments").text
            #expect(first.contains("Comment 11.") && !first.contains("Comment 10."))
            let older = try await marketer.get("\(page)/comments?before=11").text
            #expect(older.contains("Comment 10.") && older.contains("Comment 1.") && !older.contains("Older"))
        }
    }

    @Test("CON-5: the history names who edited, shows what differs in words, and restores a version")
    func history() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let (marketer, viewer) = (try await story.person(.marketer), try await story.person(.viewer))
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            var changed = try await console.services.campaigns.queries.campaign(id, app: story.app).draft
            changed.push?.title = "Good evening"
            changed.audience = .tag("sports")
            _ = try await console.services.campaigns.drafts.update(id, with: changed, by: .key("key-7"), app: story.app)
            let list = try await viewer.get("\(page)/versions").text
            #expect(list.contains("Version 2") && list.contains("the key key-7") && list.contains("marketer"))
            #expect(list.contains("Present"))
            let version = try await viewer.get("\(page)/versions/2").text
            #expect(version.contains("<th scope=\"row\">Title</th><td>Hello</td><td>Good evening</td>"))
            #expect(version.contains("<td>Everyone.</td><td>Devices whose contact has the tag &#39;sports&#39;.</td>"))
            let back = try await viewer.get("\(page)/versions/1?from=2").text
            #expect(back.contains("<td>Good evening</td><td>Hello</td>") && !back.contains("Restore this version"))
            let first = try await marketer.get("\(page)/versions/1").text
            #expect(first.contains("No earlier version is kept.") && first.contains("Restore this version"))
            #expect(try await viewer.submit("\(page)/versions/1/restore").status == .forbidden)
            let stale = try await marketer.submit("\(page)/versions/1/restore", ["present": "old"])
            #expect(stale.status == .conflict && stale.text.contains("Somebody else has changed this draft"))
            let form = Self.fields(first, before: ">Restore this version<")
            #expect(try await marketer.submit("\(page)/versions/1/restore", form).status == .seeOther)
            let restored = try await console.services.campaigns.queries.campaign(id, app: story.app).draft
            #expect(restored.push?.title == "Hello" && restored.audience == .everyone)
            let versions = try await console.services.campaignVersions.list(
                of: id, app: story.app, before: nil, limit: 9)
            #expect(versions.map(\.number) == [3, 2, 1] && versions[0].author?.userName == "marketer")
            for path in ["versions/9", "versions/x", "versions/1?from=9"] {
                #expect(try await viewer.get("\(page)/\(path)").status == .notFound, "\(path)")
            }
        }
    }

    @Test("CON-5: a change of a launched in-app message that waits is published from its page")
    func publish() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            var draft = CampaignDraft(
                name: "News", kind: .inApp, audience: .everyone,
                inApp: InAppDraft(
                    type: .modal, trigger: InAppTrigger(event: "session:start"), content: InAppContent(title: "One")
                )
            )
            let services = console.services
            let id = try await services.campaigns.drafts.create(draft, by: .key("root"), app: story.app).id
            _ = try await services.campaigns.life.launch(id, app: story.app)
            draft.inApp?.content.title = "Two"
            _ = try await services.campaignVersions.propose(draft, of: id, by: .key("root"), app: story.app)
            let marketer = try await story.person(.marketer)
            let page = "\(CampaignStory.list)/\(id)"
            #expect(try await marketer.get(page).text.contains("waits to be published"))
            #expect(try await marketer.get("\(page)/versions").text.contains("Waits"))
            let version = try await marketer.get("\(page)/versions/2").text
            #expect(version.contains("In-app message: content, title") && version.contains("Publish this version"))
            try await story.askForApprovals()
            let rejected = try await marketer.submit("\(page)/versions/2/publish")
            #expect(rejected.status == .conflict && rejected.text.contains("nobody has approved version 2"))
            var change = AppSettingsChange()
            change.requiresApproval = .reset
            _ = try await services.apps.changeSettings(change, of: story.app)
            #expect(try await marketer.submit("\(page)/versions/2/publish").status == .seeOther)
            #expect(try await services.campaigns.queries.campaign(id, app: story.app).draft == draft)
        }
    }

    @Test("CON-3: these changes are in the audit log with their person")
    func audit() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            _ = try await marketer.submit("\(page)/comments", ["text": "Hi"])
            _ = try await marketer.submit("\(page)/comments", ["text": ""])
            _ = try await marketer.submit("\(page)/approval/request", ["version": "1"])
            let entries = try await console.database.read { try $0.audit.newest(9) }
            #expect(
                entries.filter { $0.actor == "user:marketer" }.map { "\($0.action) \($0.target ?? "")" } == [
                    "campaign.approval \(id)", "campaign.comment \(id)", "campaign.create \(id)",
                ]
            )
        }
    }
}
