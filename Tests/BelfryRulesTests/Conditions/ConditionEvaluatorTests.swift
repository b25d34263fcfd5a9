import BelfryModel
import BelfryRules
import BelfryTestSupport
import Foundation
import Testing

struct ConditionEvaluatorTests {
    private static let now = Date(timeIntervalSince1970: 1_795_262_400)

    private static let evaluator = ConditionEvaluator(
        ConditionContext(schema: ["born": .date, "age": .number, "city": .string], zone: .gmt, now: now)
    )

    private static func anna() throws -> ConditionSubject {
        ConditionSubject(
            device: try DeviceID("6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11"),
            contact: .init(
                key: "anna", isKnown: true,
                attributes: ["city": "Paris", "age": 31, "born": "1990-05-29T00:00:00.000Z", "score": "1.5e1"],
                tags: ["sports"]
            ),
            properties: SystemProperties(platform: "ios", osVersion: "17.4.1"), isOptedIn: true,
            lastOpenedAt: now.addingTimeInterval(-86_400),
            events: RecordedEvents([
                .init(name: "purchase", at: now.addingTimeInterval(-86_400), attributes: ["sku": "A", "amount": 12.5]),
                .init(name: "purchase", at: now.addingTimeInterval(-40 * 86_400), attributes: ["sku": "B"]),
            ])
        )
    }

    private static let holding: [Condition] = [
        .everyone, .all([]), .not(.any([])), .tag("sports"), .known(true), .contactKeys(["bert", "anna"]),
        .deviceIDs(["6c9c4f0a-5d6b-4b2e-9b7e-0c5a2e0f2a11"]), .attribute("city", .startsWith("Par")),
        .attribute("city", .contains("ari")), .attribute("age", .equal("31.0")), .attribute("age", .greater(9)),
        .attribute("score", .equal(15)), .attribute("city", .isIn(["Oslo", "Paris"])),
        .attribute("hat", .exists(false)),
        .attribute("born", .less("1990-05-30")), .attribute("born", .equal("1990-05-29")),
        .device(.platform, .equal("ios")), .device(.osVersion, .notEqual("17.4")), .device(.locale, .exists(false)),
        .deviceFact(.pushOptIn, .equal(true)), .deviceFact(.lastOpenedAt, .greaterOrEqual("-P1D")),
        .event(EventClause(name: "purchase", count: EventCount(.equal, 2))),
        .event(EventClause(name: "purchase", count: EventCount(.less, 2), within: try? ISODuration("P30D"))),
        .event(EventClause(name: "purchase", filter: .attribute("amount", .greater("12")))),
        .event(EventClause(name: "open", count: EventCount(.equal, 0))),
    ]

    private static let failing: [Condition] = [
        .not(.everyone), .any([]), .tag("Sports"), .known(false), .contactKeys([]), .deviceIDs([]),
        .attribute("hat", .notEqual("x")), .attribute("hat", .less(5)), .attribute("city", .equal("paris")),
        .attribute("city", .greater("Q")), .attribute("age", .less("9")), .attribute("born", .greater("1990-05-29")),
        .device(.locale, .notEqual("fr")), .deviceFact(.pushOptIn, .notEqual(true)),
        .deviceFact(.lastOpenedAt, .less("-P1D")),
        .event(EventClause(name: "Purchase")),
        .event(EventClause(name: "purchase", filter: .attribute("city", .exists(true)))),
        .event(
            EventClause(
                name: "purchase", filter: .all([.attribute("sku", .equal("B")), .attribute("amount", .exists(true))]))),
    ]

    @Test("CAMP-3: in memory, with which a property test compares SQL, predicates hold as they are defined")
    func answers() throws {
        let anna = try Self.anna()
        for condition in Self.holding { #expect(Self.evaluator.holds(condition, for: anna), "\(condition)") }
        for condition in Self.failing { #expect(!Self.evaluator.holds(condition, for: anna), "\(condition)") }
    }

    @Test("CAMP-3: a device without a contact has no attributes, tags or key, and is not known")
    func withoutContact() throws {
        let unknown = ConditionSubject(device: try DeviceID("6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11"))
        let conditions: [Condition] = [
            .known(false), .attribute("city", .exists(false)), .not(.tag("a")), .not(.contactKeys(["anna"])),
            .deviceFact(.lastOpenedAt, .exists(false)), .deviceFact(.pushOptIn, .equal(false)),
        ]
        for condition in conditions { #expect(Self.evaluator.holds(condition, for: unknown), "\(condition)") }
    }

    @Test("CAMP-3: two spellings of é are two texts, as in a database; keys and tags are normalised")
    func spellings() throws {
        var subject = try Self.anna()
        subject.contact?.attributes["city"] = "\u{e9}"
        subject.contact?.tags = ["\u{e9}"]
        #expect(Self.evaluator.holds(.attribute("city", .equal("\u{e9}")), for: subject))
        #expect(!Self.evaluator.holds(.attribute("city", .equal("e\u{301}")), for: subject))
        #expect(!Self.evaluator.holds(.attribute("city", .startsWith("e")), for: subject))
        #expect(Self.evaluator.holds(.tag("e\u{301}"), for: subject))
    }

    @Test("CAMP-3, SEC-6: what is too long to be a name is not composed, and names nobody")
    func longNames() throws {
        func conditions(_ name: String) -> [Condition] {
            [.tag(name), .contactKeys([name]), .attribute(name, .exists(true))]
        }
        var subject = try Self.anna()
        for (count, isComposed) in [(300, true), (500, false)] {
            let stored = String(repeating: "\u{ac01}", count: count)
            subject.contact = ConditionSubject.Contact(
                key: stored, isKnown: true, attributes: [stored: "x"], tags: [stored]
            )
            for condition in conditions(stored) { #expect(Self.evaluator.holds(condition, for: subject)) }
            // The same letters, in nine bytes each.
            for condition in conditions(String(repeating: "\u{1100}\u{1161}\u{11a8}", count: count)) {
                #expect(Self.evaluator.holds(condition, for: subject) == isComposed, "\(count)")
            }
        }
    }

    private static func contains(_ text: String, _ part: String) -> Bool {
        Condition.attribute("text", .contains(part)).admits(["text": .string(text)])
    }

    @Test("CAMP-3, SEC-8: a text contains a part wherever it stands, and long texts that repeat themselves cost little")
    func parts() {
        let letters = ["a", "b", "\u{e9}", "\u{301}"]
        var texts = [""]
        for _ in 0..<4 { texts += texts.flatMap { text in letters.map { text + $0 } } }
        let parts = Set(texts.filter { $0.unicodeScalars.count <= 2 })
        for text in Set(texts) {
            let bytes = Array(text.utf8)
            for part in parts {
                let wanted = Array(part.utf8)
                let places = bytes.indices.filter { bytes[$0...].starts(with: wanted) }
                #expect(Self.contains(text, part) == (wanted.isEmpty || !places.isEmpty), "\(text) \(part)")
            }
        }
        #expect(Self.contains("aabaaabaab", "abaab") && !Self.contains("aabaaabaa", "abaab"))
        // Compared place by place, this would take some 10,000,000,000 comparisons.
        let long = String(repeating: "a", count: 200_000)
        #expect(!Self.contains(long, String(repeating: "a", count: 100_000) + "b"))
        #expect(Self.contains(long + "b", String(repeating: "a", count: 100_000) + "b"))
    }
}
