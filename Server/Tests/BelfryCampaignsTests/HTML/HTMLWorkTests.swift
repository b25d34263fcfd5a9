import BelfryModel
import Testing

@testable import BelfryCampaigns

/// The work that a text of HTML takes, counted and not timed: what is kept of it, and in how many ways it is read.
struct HTMLWorkTests {
    private static func bytes(_ letter: Character, _ count: Int) -> [UInt8] {
        Array(String(repeating: letter, count: count).utf8)
    }

    @Test("SEC-2, SEC-4: of a name only as much is kept as the rules need")
    func names() {
        var judge = HTMLErrorCollector("", policy: .richContent)
        var state = HTMLState()
        var longest = 0
        for byte in Array("<".utf8) + Self.bytes("A", 2_000) + Array(" ".utf8) + Self.bytes("b", 2_000) {
            _ = state.read(byte, &judge)
            longest = max(longest, state.element.count, state.attribute.count)
        }
        #expect(longest == HTMLErrorCollector.maximumNameBytes)
        #expect(state.element == Self.bytes("a", longest) && state.attribute == Self.bytes("b", longest))
        for byte in "=x>".utf8 { _ = state.read(byte, &judge) }
        #expect(state == HTMLState() && judge.found.isEmpty)
    }

    @Test("SEC-4: a long name is judged by its beginning, like a short one")
    func longHandler() {
        let name = "on" + String(repeating: "x", count: 2_000)
        #expect(ComposedHTML(html: "<p \(name)=1>").codes == ["scriptNotAllowed"])
        let element = String(repeating: "x", count: 2_000)
        #expect(ComposedHTML(html: "<\(element) href=javascript:1>").codes == ["scriptNotAllowed"])
    }

    @Test(
        "SEC-2, SEC-4: paths through a template that differ in a word join again after it",
        arguments: [("meta", "content"), ("meta", "charset"), ("meta", "http-equiv"), ("p", "class"), ("p", "style")]
    )
    func words(element: String, attribute: String) {
        var ways: Set<ValueReading> = []
        for number in 0..<64 {
            var value = HTMLRules.reading(of: attribute, in: element)
            // As long as its number, so that no two are at the same place.
            for byte in Self.bytes("a", number) + Self.bytes("z", 200) { _ = value.read(byte) }
            ways.insert(value)
        }
        #expect(ways.count == 1)
    }

    @Test("SEC-2, SEC-4: sections before a long text do not multiply its cost")
    func longText() {
        let sections = (0..<6).map { "{{#vip}}\($0){{/vip}}" }.joined()
        let text = String(repeating: "z", count: 60_000)
        for page in ["<meta content=\"\(sections)\(text)\">", "<p class=\"\(sections)\(text)\">"] {
            #expect(ComposedHTML(html: page, policy: .richContent).codes == [])
        }
        let equivalent = ComposedHTML(html: "<meta http-equiv=\"\(sections)\(text)\">", policy: .richContent)
        #expect(equivalent.codes == ["notAllowed"])
    }
}
