import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import HTTPTypes
import Testing

@testable import BelfryConsole

@Suite("SEC-4, CON-9: what strangers wrote is text on every page of people")
struct HostileValuesTests {
    private static let markup = #"<script>alert("1")</script><img src=x onerror='alert(2)'>"#
    private static let bidi = "\u{202E}\u{2066}drowssap\u{2069}"
    private static let combining = "<\u{0301}b>\"\u{0301}'\u{0308}"
    private static let key = "\(markup) \(bidi) \(combining) 🎩\u{200D}👩‍👩‍👧‍👦"

    /// Markup of a value that has become markup of the page.
    private static func isClean(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return ["<script>alert", "<img src=x", "onerror='", "<\u{0301}b>", "alert(\"1\")"].allSatisfy { part in
            !bytes.contains(Array(part.utf8))
        }
    }

    @Test("SEC-4: keys, attributes, tags, events and campaigns with markup, quotes, marks, bidi and emoji are escaped")
    func pages() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let admin = try await story.person(.admin)
            let (phone, ann) = try await story.login(Self.key, on: #"old"id<b>'&"#, token: "ANNSTOKEN")
            let long = String(repeating: "<b>\"'&", count: 1_667)
            try await story.describe(Self.key) { contact in
                contact.attributes = ["city": .string(long), Self.markup: .string(Self.key)]
                contact.party = PartyIdentifier(type: Self.markup, name: "\"", number: "<4711>")
            }
            let now = console.clock.now
            try await console.database.write { connection in
                let device = try #require(try connection.devices.page(ofContact: ann, limit: 1).devices.first)
                let tags: Set<BelfryModel.Tag> = [try .init("<b>tag\""), try .init(Self.bidi)]
                try connection.contactTags.replace(of: device.id, on: ann, with: tags, now: now)
            }
            let attributes = try String(
                decoding: JSONEncoder().encode([Self.combining: Self.markup, "long": long]), as: UTF8.self
            )
            try await story.track("purchase<b>", attributes, on: phone)
            let campaign = try await story.send(Self.key)
            let encoded = PersonAddress.encoded(Self.key)
            for path in [
                "", "?q=\(encoded)", "?q=\(encoded)&by=key", "?q=\(PersonAddress.encoded("<4711>"))",
                "?q=\(encoded)&by=attribute&name=city", "?q=\(encoded)&by=attribute&name=\(encoded)",
                "?q=\(encoded)&by=field&name=\(encoded)", "?q=\(PersonAddress.encoded(#"old"id<b>'&"#))",
                "?campaign=\(campaign)&q=\(encoded)", "?cursor=\(encoded)&q=x&by=party", "/\(ann)",
                "/\(ann)?kind=\(encoded)", "/\(ann)?kind=event", "/\(ann)?cursor=\(encoded)", "/\(ann)/why",
                "/\(ann)/why?campaign=\(campaign)", "/\(ann)/why?q=\(encoded)", "/\(ann)/erase",
                "/\(encoded)", "/\(encoded)/why",
            ] {
                let answer = try await admin.get(PeopleStory.list + path)
                #expect(answer.status.code < 500, "\(path.prefix(60)): \(answer.status)")
                #expect(Self.isClean(answer.text), "\(path.prefix(60))")
            }
            let page = try await admin.get("\(PeopleStory.list)/\(ann)")
            #expect(page.status == .ok && page.text.contains("&lt;script&gt;alert(&quot;1&quot;)"))
            #expect(page.text.contains("&lt;b&gt;tag&quot;") && page.text.contains("🎩"))
            let wrong = try await admin.submit("\(PeopleStory.list)/\(ann)/erase", ["key": Self.markup])
            #expect(wrong.status == .unprocessableContent && Self.isClean(wrong.text))
            // The very key, typed, is accepted, whatever stands in it.
            let done = try await admin.submit("\(PeopleStory.list)/\(ann)/erase", ["key": Self.key])
            #expect(done.status == .seeOther)
        }
    }

    @Test("CON-9: a person whose key no form sends as it is, with a line end in it, is erased by the contact's number")
    func lineEnds() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let admin = try await story.person(.admin)
            for (index, key) in ["ann\nb", "ann\r\nc", "ann\u{7}d", "ann  e"].enumerated() {
                let number = try await story.login(key, on: CampaignStory.device(index + 1)).contact
                let address = "\(PeopleStory.list)/\(number)/erase"
                let page = try await admin.get(address).text
                #expect(page.contains("Type the contact number") && page.contains("<bdi>\(number)</bdi>"), "\(index)")
                let wrong = try await admin.submit(address, ["key": "ann"])
                #expect(wrong.status == .unprocessableContent && wrong.text.contains("not the number of this contact"))
                #expect(try await admin.submit(address, ["key": "\(number)"]).status == .seeOther, "\(index)")
                #expect(try await admin.get("\(PeopleStory.list)/\(number)").status == .notFound, "\(index)")
            }
            // Whoever has a key that can be typed is named by it alone.
            let ben = try await story.login("ben", on: CampaignStory.device(9)).contact
            let address = "\(PeopleStory.list)/\(ben)/erase"
            #expect(try await admin.submit(address, ["key": "\(ben)"]).status == .unprocessableContent)
        }
    }

    @Test("CON-9, SEC-6: a typed key may have any spelling of its letters; what is too long for a key is not composed")
    func spellings() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let (app, now) = (story.app.id, console.clock.now)
            // The second is one from before keys were bounded.
            for (count, isComposed) in [(300, true), (500, false)] {
                let key = String(repeating: "\u{ac01}", count: count)
                let number = try await console.database.write { connection in
                    try connection.contacts.findOrInsert(app: app, key: key, known: true, now: now)
                }
                let proof = ErasureProof(try await console.services.contacts.erasable(.number(number), app: story.app))
                #expect(proof.isGiven(by: key) && !proof.isGiven(by: key + "a"), "\(count)")
                // The same letters, in nine bytes each.
                let typed = String(repeating: "\u{1100}\u{1161}\u{11a8}", count: count)
                #expect(proof.isGiven(by: typed) == isComposed, "\(count)")
            }
        }
    }

    @Test("CON-9: ten thousand characters are cut on the page, by code points, and stay well-formed")
    func cut() {
        let text = String(repeating: "👩‍👧é", count: 5_000)
        let shown = ShownText.text(text)
        #expect(shown.unicodeScalars.count == ShownText.maximumLength + 1 && shown.hasSuffix("…"))
        #expect(ShownText.text("short") == "short")
    }
}
