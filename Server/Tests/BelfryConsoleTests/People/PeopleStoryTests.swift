import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import HTTPTypes
import Testing

@testable import BelfryConsole

@Suite("CON-9: a support agent and a person")
struct PeopleStoryTests {
    @Test("CON-9, LED-2: the agent learns in one search why Ann got nothing, and finds her from the campaign's page")
    func whyNothing() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let agent = try await story.person(.viewer)
            let empty = try await agent.get(PeopleStory.list)
            #expect(empty.status == .ok && empty.text.contains("Nobody yet"))
            let (_, ann) = try await story.login("ann@example.com", on: CampaignStory.device(1))
            try await story.login("bert", on: CampaignStory.device(2), token: "BERTSTOKEN")
            let sale = try await story.send("Autumn sale")

            let newest = try await agent.get(PeopleStory.list)
            #expect(newest.text.contains("The newest people") && newest.text.contains("\(PeopleStory.list)/\(ann)"))
            let found = try await agent.get("\(PeopleStory.list)?q=ann")
            #expect(found.text.contains("begins with it") && !found.text.contains(">bert<"))
            // The question stands beside the result, with the campaigns to choose from.
            #expect(
                found.text.contains("action=\"\(PeopleStory.list)/\(ann)/why\"") && found.text.contains("Autumn sale"))
            let answer = try await agent.get("\(PeopleStory.list)/\(ann)/why?campaign=\(sale)")
            #expect(answer.status == .ok)
            #expect(answer.text.contains("It was not sent: the device has no push token."))
            #expect(answer.text.contains(CampaignStory.device(1)) && answer.text.contains("The campaign was launched."))
            let bert = try await story.number("bert")
            let his = try await agent.get("\(PeopleStory.list)/\(bert)/why?campaign=\(sale)")
            #expect(his.text.contains("The push service accepted it"))

            let page = try await agent.get("/console/apps/shop/campaigns/\(sale)")
            #expect(page.text.contains("/console/apps/shop/campaigns/\(sale)/person"))
            let way = try await agent.get("/console/apps/shop/campaigns/\(sale)/person")
            #expect(way.headers[.location] == "\(PeopleStory.list)?campaign=\(sale)")
            let search = try await agent.get("\(PeopleStory.list)?campaign=\(sale)&q=ann")
            #expect(search.text.contains("\(PeopleStory.list)/\(ann)/why?campaign=\(sale)"))
            let other = try await agent.get("\(PeopleStory.list)/\(ann)/why?q=no-such-campaign")
            #expect(other.text.contains("No campaign of this name"))
        }
    }

    @Test("CON-9, REG-27: a device's page says that another one has its token, and since when")
    func movedToken() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let viewer = try await story.person(.viewer)
            let (_, ann) = try await story.login("ann", on: CampaignStory.device(1), token: "0123456789ABCDEF")
            console.clock.advance(by: 60)
            let (_, bert) = try await story.login("bert", on: CampaignStory.device(2), token: "0123456789ABCDEF")
            let page = try await viewer.get("\(PeopleStory.list)/\(ann)")
            for words in ["another device registered the one that it had", "Token moved away"] {
                #expect(page.text.contains(words), "\(words)")
            }
            #expect(!page.text.contains("Token since"))
            let other = try await viewer.get("\(PeopleStory.list)/\(bert)")
            #expect(other.text.contains("Token since") && !other.text.contains("Token moved away"))
        }
    }

    @Test("CON-9: one page shows devices, consent and its reason, attributes, facts and the timeline by kind")
    func page() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let viewer = try await story.person(.viewer)
            let (phone, ann) = try await story.login("ann", on: CampaignStory.device(1), token: "0123456789ABCDEF")
            console.clock.advance(by: 60)
            try await story.track("purchase", #"{"sku":"X-42"}"#, on: phone)
            try await story.describe("ann") { contact in
                contact.attributes = ["city": "Paris"]
                contact.party = PartyIdentifier(type: "crm", name: "main", number: "4711")
            }
            _ = try await story.send("Autumn sale")
            let address = "\(PeopleStory.list)/\(ann)"
            let page = try await viewer.get(address)
            for words in [
                "Paris", "crm / main / 4711", CampaignStory.device(1), "Opted in", "Pushes may be sent to it.",
                "The person logged in on the device.", "The app tracked", "X-42", "Autumn sale",
                "The push service accepted it", "An earlier device, or a contact that became this one",
            ] {
                #expect(page.text.contains(words), "\(words)")
            }
            #expect(!page.text.contains("0123456789abcdef") && !page.text.contains("0123456789ABCDEF"))
            let events = try await viewer.get("\(address)?kind=event")
            #expect(events.text.contains("The app tracked") && !events.text.contains("The person logged in"))
            for (query, found) in [
                ("q=4711", true), ("q=Paris&by=attribute&name=city", true), ("q=Rome&by=attribute&name=city", false),
                ("q=\(CampaignStory.device(1))", true), ("q=0123456789ABCDEF&by=token", true), ("q=4712", false),
            ] {
                let answer = try await viewer.get("\(PeopleStory.list)?\(query)")
                #expect(answer.text.contains("href=\"\(address)\"") == found, "\(query)")
                #expect(answer.text.contains("Nobody was found") == !found, "\(query)")
            }
            let wrong = try await viewer.get("\(PeopleStory.list)?q=x&by=attribute&name=shoe")
            #expect(wrong.status == .unprocessableContent && wrong.text.contains("There is no attribute"))
            #expect(try await viewer.get("\(PeopleStory.list)/999999").status == .notFound)
            #expect(try await viewer.get("\(PeopleStory.list)/ann").status == .notFound)
        }
    }

    @Test("CON-9, SEC-2: a page that shows the first tags of a person says so, with their number")
    func firstTags() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let viewer = try await story.person(.viewer)
            let ann = try await story.login("ann", on: CampaignStory.device(1)).contact
            for (range, isSaid) in [(0..<1_000, false), (1_000..<1_001, true)] {
                try await console.database.write { connection in
                    let device = try #require(try connection.devices.page(ofContact: ann, limit: 1).devices.first)
                    _ = try connection.executeEach(
                        "INSERT INTO contact_tags (contact_id, tag, device_id) VALUES (?, ?, ?)",
                        range.map { [.integer(ann), .text("tag-\($0 + 10_000)"), .integer(device.id)] }
                    )
                }
                let page = try await viewer.get("\(PeopleStory.list)/\(ann)").text
                #expect(page.contains("tag-10999") && !page.contains("tag-11000"))
                #expect(page.contains("Tags: the first 1,000; there are more") == isSaid)
            }
        }
    }

    @Test("CON-9, ADM-7: the page before an erasure counts what there may be very many of up to a number, and says so")
    func manyToErase() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let admin = try await story.person(.admin)
            let ann = try await story.login("ann", on: CampaignStory.device(1)).contact
            let (app, address) = (story.app.id, "\(PeopleStory.list)/\(ann)/erase")
            let few = try await admin.get(address).text
            #expect(few.contains("1 device with registrations") && few.contains("events: 0 events."))
            #expect(!few.contains("more than 10,000"))
            try await console.database.write { connection in
                _ = try connection.executeEach(
                    """
                    INSERT INTO contacts (app_id, contact_key, known, attributes, created_at, updated_at, merged_into)
                    VALUES (?, ?, 0, '{}', 0, 0, ?)
                    """,
                    (0...ErasablePerson.counted).map { [.integer(app), .text("part-\($0)"), .integer(ann)] }
                )
            }
            #expect(try await admin.get(address).text.contains("former keys (more than 10,000)"))
        }
    }

    @Test("CON-9: what was pasted with blanks is found; a text that names nobody is offered as an attribute's value")
    func pasted() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let viewer = try await story.person(.viewer)
            let (_, ann) = try await story.login("person-22", on: CampaignStory.device(1), token: "ANNSTOKEN")
            try await story.describe("person-22") { $0.attributes = ["city": "Paris"] }
            for query in ["%20person-22%20", "%C2%A0person-22%C2%A0", "person-22%09", "%20person-22&by=key"] {
                let text = try await viewer.get("\(PeopleStory.list)?q=\(query)").text
                #expect(text.contains("href=\"\(PeopleStory.list)/\(ann)\""), "\(query)")
                #expect(text.contains("value=\"person-22\""), "\(query)")
            }
            let blank = try await viewer.get("\(PeopleStory.list)?q=%20")
            #expect(blank.status == .ok && blank.text.contains("Nobody was found"))
            let nobody = try await viewer.get("\(PeopleStory.list)?q=%20Paris").text
            let offer = "\(PeopleStory.list)?by=attribute&name=city&q=Paris"
            #expect(nobody.contains("Nobody was found"))
            #expect(nobody.contains("href=\"\(offer.replacing("&", with: "&amp;"))\""))
            // No number is written so.
            #expect(!nobody.contains("name=visits"))
            #expect(try await viewer.get("\(PeopleStory.list)?q=17").text.contains("name=visits"))
            #expect(try await viewer.get(offer).text.contains("href=\"\(PeopleStory.list)/\(ann)\""))
        }
    }

    @Test("CON-9, WIRE-20: installations with one id are all shown, and none is taken for another person's")
    func sameID() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let viewer = try await story.person(.viewer)
            let (_, ann) = try await story.login("ann", on: CampaignStory.device(1))
            console.clock.advance(by: 60)
            let (_, mallory) = try await story.login("mallory", on: CampaignStory.device(1))
            let found = try await viewer.get("\(PeopleStory.list)?q=\(CampaignStory.device(1))")
            #expect(found.text.contains("Several installations have this id."))
            #expect(found.text.contains("\(PeopleStory.list)/\(ann)/why"))
            #expect(found.text.contains("\(PeopleStory.list)/\(mallory)/why"))
            let page = try await viewer.get("\(PeopleStory.list)/\(ann)")
            #expect(page.text.contains("They are not this person's") && page.text.contains("mallory, since"))
        }
    }

    @Test("ADM-4, CON-9: export, device revocation and erasure by those who may, each in the audit log with its person")
    func manage() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let admin = try await story.person(.admin)
            let (phone, ann) = try await story.login("ann", on: CampaignStory.device(1), token: "ANNSTOKEN")
            try await story.track("purchase", on: phone)
            let address = "\(PeopleStory.list)/\(ann)"
            let file = try await admin.submit("\(address)/export")
            #expect(file.headers[.contentDisposition] == "attachment; filename=\"person-\(ann).json\"")
            let json = try JSONSerialization.jsonObject(with: Data(file.text.utf8)) as? [String: Any]
            #expect((json?["contact"] as? [String: Any])?["contactKey"] as? String == "ann")
            #expect((json?["events"] as? [Any])?.count == 1)

            let devices = try await console.services.directory.person(.number(ann), app: story.app).devices
            let device = try #require(devices.first?.device.id)
            #expect(try await admin.get(address).text.contains("\(address)/devices/\(device)/revoke"))
            let revoked = try await admin.submit("\(address)/devices/\(device)/revoke")
            #expect(revoked.status == .seeOther)
            #expect(try await admin.get(address).text.contains("An operator revoked the device"))

            let warning = try await admin.get("\(address)/erase")
            #expect(warning.text.contains("What goes") && warning.text.contains("Type the contact key"))
            let wrong = try await admin.submit("\(address)/erase", ["key": "anne"])
            #expect(wrong.status == .unprocessableContent && wrong.text.contains("Nothing was erased"))
            #expect(wrong.text.contains("value=\"anne\""))
            let done = try await admin.submit("\(address)/erase", ["key": "ann"])
            #expect(done.headers[.location] == PeopleStory.list)
            #expect(try await admin.get(PeopleStory.list).text.contains("The person was erased. The receipt is"))
            #expect(try await admin.get(address).status == .notFound)
            let entries = try await story.audited()
            for entry in ["contact.erase \(ann)", "device.revoke \(device)", "contact.export \(ann)"] {
                #expect(entries.contains("user:admin \(entry)"), "\(entry): \(entries)")
            }
            let erasures = entries.filter { $0.contains("contact.erase") }
            #expect(erasures == ["user:admin contact.erase \(ann)", "user:admin contact.erase.begin \(ann)"])
        }
    }
}
