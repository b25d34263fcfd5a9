import BelfryRules
import BelfryTestSupport
import Foundation
import Testing

struct DisplayRulesTests {
    private let start = Date(timeIntervalSince1970: 1_767_571_200)
    private let timeout: TimeInterval = 30

    @Test("ENG-2: a message counts once in a session, and again in the next one, under another id")
    func once() {
        var rules = MessageViewSession()
        rules.appeared(at: start, newID: "A", timeout: timeout)
        let first = rules.displayed("m", at: start, newID: "unused")
        let again = rules.displayed("m", at: start + 3_600, newID: "unused")
        let other = rules.displayed("n", at: start + 3_600, newID: "unused")
        #expect(first != nil && again == nil && other != nil && other != first)
        rules.ended()
        rules.appeared(at: start + 3_601, newID: "B", timeout: timeout)
        let next = rules.displayed("m", at: start + 3_601, newID: "unused")
        #expect(next != nil && next != first)
    }

    @Test("ENG-2: the id of the event is derived from session and message, and is valid for an event")
    func ids() throws {
        var rules = MessageViewSession()
        var same = MessageViewSession()
        rules.appeared(at: start, newID: "A", timeout: timeout)
        let counted = rules.displayed("m", at: start, newID: "unused")
        let id = try #require(counted)
        let repeated = same.displayed("m", at: start + 60, newID: "A")
        #expect(id == repeated)
        #expect(id.count <= 64)
        var shifted = MessageViewSession()
        let neighbour = shifted.displayed("Am", at: start, newID: "")
        #expect(neighbour != id)
    }

    @Test("ENG-1: a view that appears soon after a kill continues the session; later it does not")
    func kill() throws {
        for (after, isSame) in [(0.0, true), (29.9, true), (30, false), (86_400, false), (-1, false)] {
            var rules = MessageViewSession()
            rules.appeared(at: start, newID: "A", timeout: timeout)
            _ = rules.displayed("m", at: start, newID: "unused")
            rules = try JSONDecoder().decode(MessageViewSession.self, from: JSONEncoder().encode(rules))
            rules.launched(at: start + after, timeout: timeout)
            #expect((rules.session != nil) == isSame, "after \(after)")
            rules.appeared(at: start + after, newID: "B", timeout: timeout)
            #expect(rules.session?.id == (isSame ? "A" : "B"), "after \(after)")
            let counted = rules.displayed("m", at: start + after, newID: "unused") != nil
            #expect(counted == !isSame, "after \(after)")
        }
    }

    @Test("ENG-2: a view that is not reported counts each message once, until a view ends")
    func implicit() {
        var rules = MessageViewSession()
        let counts = ["m", "n", "m", "n"].map { rules.displayed($0, at: start, newID: "A") != nil }
        #expect(counts == [true, true, false, false])
        rules.ended()
        let again = rules.displayed("m", at: start, newID: "B")
        #expect(again != nil)
    }

    @Test(
        "ENG-2: in any order of displays, each session counts each message once, and memory is limited")
    func bounded() {
        var chance = SeededGenerator(seed: 7)
        var rules = MessageViewSession()
        var counted: Set<String> = []
        for _ in 0..<5_000 {
            let message = "m\(Int.random(in: 0..<MessageViewSession.maximumRemembered, using: &chance))"
            let isNew = rules.displayed(message, at: start, newID: "A") != nil
            #expect(isNew == counted.insert(message).inserted)
        }
        for number in 0..<10 { _ = rules.displayed("more \(number)", at: start, newID: "A") }
        let bytes = (try? JSONEncoder().encode(rules).count) ?? .max
        #expect(bytes < 20 * MessageViewSession.maximumRemembered)
    }
}
