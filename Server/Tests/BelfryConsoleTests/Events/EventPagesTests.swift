import BelfryModel
import BelfryServices
import Foundation
import HTTPTypes
import Testing

@testable import BelfryConsole

@Suite("EVT-7: the events of an app on the console")
struct EventPagesTests {
    private static let page = "/console/apps/shop/events"

    /// The sentences of the events on a page, from the newest to the oldest.
    private static func names(_ answer: Browser.Answer) -> [String] {
        answer.text.components(separatedBy: "The app tracked &#39;").dropFirst().map { part in
            String(part.prefix { $0 != "&" })
        }
    }

    private static func links(_ answer: Browser.Answer, below address: String) -> [String] {
        answer.text.components(separatedBy: "href=\"\(address)").dropFirst().map { part in
            address + part.prefix { $0 != "\"" }.replacing("&amp;", with: "&")
        }
    }

    @Test(
        "EVT-7, CON-11: an agent finds events by name, time, attributes, person and device; empty states say what to do"
    )
    func story() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let agent = try await story.person(.viewer)
            let empty = try await agent.get(Self.page)
            #expect(empty.status == .ok && empty.text.contains("No events yet"))
            #expect(empty.text.contains("client.track") && !empty.text.contains("rel=\"next\""))
            let (ann, number) = try await story.login("ann", on: CampaignStory.device(1))
            let (bert, _) = try await story.login("bert", on: CampaignStory.device(2))
            let start = console.clock.now
            for (name, attributes, phone) in [
                ("view", #"{"city":"Paris","price":12.5}"#, ann), ("purchase", #"{"city":"Paris"}"#, bert),
                ("purchase", #"{"city":"Rome","price":"12.50"}"#, ann), ("leave", "{}", bert),
            ] {
                console.clock.advance(by: 60)
                try await story.track(name, attributes, on: phone)
            }
            let all = try await agent.get(Self.page)
            #expect(Self.names(all) == ["leave", "purchase", "purchase", "view"])
            #expect(all.text.contains("href=\"/console/apps/shop/people/\(number)\"") && all.text.contains("Rome"))
            let zone = AppZone(story.app.settings)
            func at(_ minutes: Double) -> String { zone.field(start.addingTimeInterval(minutes * 60)) }
            let device = CampaignStory.device(2)
            let questions: [(query: String, names: [String])] = [
                ("name=purchase", ["purchase", "purchase"]), ("name=Purchase", []),
                ("from=\(at(3))", ["leave", "purchase"]), ("to=\(at(2))", ["view"]),
                ("from=\(at(2))&to=\(at(3))", ["purchase"]),
                ("attributeName=city&attributeValue=Paris", ["purchase", "view"]),
                ("attributeName=price&attributeValue=12.50", ["purchase", "view"]),
                ("attributeName=city&attributeValue=Paris&attributeName=price&attributeValue=12.5", ["view"]),
                ("of=ann", ["purchase", "view"]), ("person=\(number)", ["purchase", "view"]),
                ("of=\(device)", ["leave", "purchase"]), ("of=\(device)&name=leave", ["leave"]),
            ]
            for (query, names) in questions {
                let answer = try await agent.get("\(Self.page)?\(query)")
                #expect(answer.status == .ok && Self.names(answer) == names, "\(query)")
                #expect(answer.text.contains("Nothing was found") == names.isEmpty, "\(query)")
                #expect(answer.text.contains("All events"), "\(query)")
            }
            let hers = try await agent.get("/console/apps/shop/people/\(number)")
            #expect(Self.links(hers, below: "\(Self.page)?") == ["\(Self.page)?person=\(number)"])
            #expect(try await agent.get("\(Self.page)?person=999").status == .notFound)
        }
    }

    @Test("EVT-7: what cannot be searched for is said at its field, and what was typed stays")
    func rejections() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let agent = try await story.person(.viewer)
            for (query, sentence, typed) in [
                ("of=carl", "Nobody has this contact key", "value=\"carl\""),
                ("name=\(String(repeating: "n", count: 129))", "id=\"f-name-error\"", "value=\"nnn"),
                ("from=yesterday", "Enter a day and a time", "value=\"yesterday\""),
                (
                    "from=2026-12-01T18:00&to=2026-12-01T18:00", "It must be later than the first moment.",
                    "value=\"2026-12-01T18:00\""
                ),
                ("attributeName=&attributeValue=%3CParis", "Name the attribute", "value=\"&lt;Paris\""),
            ] {
                let answer = try await agent.get("\(Self.page)?\(query)")
                #expect(answer.status == .unprocessableContent && answer.text.contains(sentence), "\(query)")
                #expect(answer.text.contains(typed) && !answer.text.contains("No events yet"), "\(query)")
            }
        }
    }

    @Test("EVT-7, ADM-7: pages follow each other by their links, with the search that they belong to")
    func pages() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let agent = try await story.person(.viewer)
            let (ann, _) = try await story.login("ann & co", on: CampaignStory.device(1))
            for number in 0..<(EventPages.pageSize * 2 + 3) {
                console.clock.advance(by: 1)
                try await story.track(number.isMultiple(of: 2) ? "even" : "odd", #"{"n":\#(number)}"#, on: ann)
            }
            var counts: [Int] = []
            var next: String? = "\(Self.page)?name=even&of=ann%20%26%20co"
            while let address = next, counts.count < 9 {
                let answer = try await agent.get(address)
                #expect(Self.names(answer).allSatisfy { $0 == "even" })
                counts.append(Self.names(answer).count)
                next = Self.links(answer, below: Self.page).first { $0.contains("cursor=") }
            }
            #expect(counts == [50, 2])
            #expect(try await agent.get("\(Self.page)?cursor=x").status == .unprocessableContent)
        }
    }

    @Test("SEC-7: what an app tracks is text and nothing else")
    func hostile() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let agent = try await story.person(.viewer)
            let (ann, _) = try await story.login("<b>ann</b>", on: CampaignStory.device(1))
            try await story.track("<i>x", #"{"<u>a":"</ol><script>"}"#, on: ann)
            let text = try await agent.get(
                "\(Self.page)?name=%3Ci%3Ex&attributeName=%3Cu%3Ea&attributeValue=%3C/ol%3E%3Cscript%3E"
            )
            .text
            for part in ["<b>ann", "<i>x", "<u>a", "</ol><script>"] { #expect(!text.contains(part), "\(part)") }
            #expect(text.contains("&lt;i&gt;x"))
        }
    }
}
