import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-5: what is typed is a time of the clocks that the form has shown")
struct ComposeZoneTests {
    private static func setZone(_ name: String, _ story: CampaignStory) async throws {
        var change = AppSettingsChange()
        change.timeZone = .set(name)
        _ = try await story.console.services.apps.changeSettings(change, of: story.app)
    }

    private static func form(_ browser: Browser, _ address: String) async throws -> PageForm {
        try #require(PageForm(try await browser.get(address).text, id: "compose"))
    }

    private static func schedule(_ id: CampaignID, _ story: CampaignStory) async throws -> CampaignSchedule? {
        try await story.console.services.campaigns.queries.campaign(id, app: story.app).draft.schedule
    }

    private static let times: [String: [String]] = [
        "name": ["Sale"], "title": ["T"], "body": ["B"], "when": ["at"], "at": ["2027-01-04T18:00"],
        "expires": ["2027-01-05T18:00"],
    ]

    @Test("CON-5: the app's zone changes while a form is open: its times stay those that its author has chosen")
    func changed() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            try await Self.setZone("Europe/Paris", story)
            let marketer = try await story.person(.marketer)
            let new = "\(CampaignStory.list)/new"
            let opened = try await Self.form(marketer, new)
            #expect(opened["zone"] == ["Europe/Paris"])
            try await Self.setZone("America/New_York", story)
            let saved = try await marketer.send(new, CampaignStory.changed(opened, Self.times))
            let id = try #require(CampaignStory.id(saved), "\(saved.text.prefix(2_000))")
            let (at, end) = (Timestamp.date("2027-01-04T17:00:00Z"), Timestamp.date("2027-01-05T17:00:00Z"))
            #expect(try await Self.schedule(id, story) == CampaignSchedule(at: at, expiresAt: end))
            let page = try await marketer.get("\(CampaignStory.list)/\(id)").text
            #expect(page.contains("Its times were read in Europe/Paris, as the form showed them"))
            #expect(page.contains("4 Jan 2027, 12:00 (America/New_York)"))

            // The same of a form that is edited: one time is changed, the other one is not.
            let edit = "\(CampaignStory.list)/\(id)/edit"
            let again = try await Self.form(marketer, edit)
            #expect(again["at"] == ["2027-01-04T12:00"] && again["zone"] == ["America/New_York"])
            try await Self.setZone("Asia/Tokyo", story)
            let later = CampaignStory.changed(again, ["at": ["2027-01-04T13:00"]])
            #expect(try await marketer.send(edit, later).status == .seeOther)
            let moved = CampaignSchedule(at: at?.addingTimeInterval(3_600), expiresAt: end)
            #expect(try await Self.schedule(id, story) == moved)
        }
    }

    @Test("CON-5: a form that is refused, previewed or told of a conflict goes on by the clocks that it has shown")
    func rejected() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let admin = try await story.person(.admin)
            _ = try await story.person("ann@example.com", device: 1, zone: "Asia/Tokyo")
            try await Self.setZone("Europe/Paris", story)
            let new = "\(CampaignStory.list)/new"
            let form = CampaignStory.changed(try await Self.form(marketer, new), Self.times)
            try await Self.setZone("America/New_York", story)
            let preview = try await marketer.send("\(CampaignStory.list)/preview", form)
            #expect(preview.text.contains("<td>Asia/Tokyo</td><td>5 Jan 2027, 02:00</td>"))
            let rejected = try await marketer.send(new, form.merging(["ttl": ["soon"]]) { $1 })
            #expect(rejected.status == .unprocessableContent && rejected.text.contains("At a time in Europe/Paris"))
            let kept = try #require(PageForm(rejected.text, id: "compose"))
            let saved = try await marketer.send(new, CampaignStory.changed(kept, ["ttl": [""]]))
            let id = try #require(CampaignStory.id(saved), "\(saved.text.prefix(2_000))")
            let at = Timestamp.date("2027-01-04T17:00:00Z")
            #expect(try await Self.schedule(id, story)?.at == at)

            let edit = "\(CampaignStory.list)/\(id)/edit"
            let mine = try await Self.form(marketer, edit)
            let theirs = CampaignStory.changed(try await Self.form(admin, edit), ["at": ["2027-01-04T13:00"]])
            #expect(try await admin.send(edit, theirs).status == .seeOther)
            try await Self.setZone("Asia/Tokyo", story)
            let refused = try await marketer.send(edit, CampaignStory.changed(mine, ["title": ["Mine"]]))
            #expect(refused.status == .conflict)
            let merged = try #require(PageForm(refused.text, id: "compose"))
            #expect(merged["zone"] == ["America/New_York"] && merged["at"] == ["2027-01-04T13:00"])
            #expect(try await marketer.send(edit, merged.values).status == .seeOther)
            #expect(try await Self.schedule(id, story)?.at == at?.addingTimeInterval(3_600))
        }
    }

    @Test("CON-5, CON-11: a form that names a zone of none is refused, keeps what was typed, and saves nothing")
    func forged() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let marketer = try await story.person(.marketer)
            let new = "\(CampaignStory.list)/new"
            let form = CampaignStory.changed(try await Self.form(marketer, new), Self.times)
            for zone in ["", "Mars/Olympus", "GMT+01:Z0", String(repeating: "x", count: 10_000)] {
                let answer = try await marketer.send(new, form.merging(["zone": [zone]]) { $1 })
                #expect(answer.status == .unprocessableContent, "\(zone.prefix(20))")
                #expect(answer.text.contains("This server does not know the time zone"), "\(zone.prefix(20))")
                let kept = try #require(PageForm(answer.text, id: "compose"))
                #expect(kept["at"] == ["2027-01-04T18:00"] && kept["zone"] == ["UTC"])
            }
            #expect(try await console.services.campaigns.queries.list(app: story.app, before: nil, limit: 1).isEmpty)
            let id = try #require(CampaignStory.id(try await marketer.send(new, form)))
            let stale = CampaignStory.changed(
                try await Self.form(marketer, "\(CampaignStory.list)/\(id)/edit"),
                ["version": ["of another time"], "zone": ["Mars/Olympus"]]
            )
            let refused = try await marketer.send("\(CampaignStory.list)/\(id)/edit", stale)
            #expect(refused.status == .badRequest && refused.text.contains("What you typed is kept on this page."))
        }
    }

    @Test("CON-10: the last day of a key is a day of the clocks that its form has shown")
    func keys() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let admin = try await story.person(.admin)
            try await Self.setZone("Asia/Tokyo", story)
            let page = "/console/apps/shop/settings/keys"
            #expect(try await admin.get(page).hidden("zone") == "Asia/Tokyo")
            try await Self.setZone("America/New_York", story)
            let made = try await admin.submit(
                "\(page)/create", ["scope": "read", "expiresAt": "2030-06-30", "zone": "Asia/Tokyo"]
            )
            #expect(made.status == .ok, "\(made.text.prefix(2_000))")
            let keys = try await console.services.adminKeys.list(app: story.app, before: nil, limit: 9).keys
            let end = try #require(Timestamp.date("2030-06-30T14:59:00Z"))
            #expect(keys.compactMap(\.expiresAt) == [end])
            let forged = try await admin.submit(
                "\(page)/create", ["scope": "read", "expiresAt": "2030-06-30", "zone": "Mars/Olympus"]
            )
            #expect(forged.status == .unprocessableContent)
        }
    }
}
