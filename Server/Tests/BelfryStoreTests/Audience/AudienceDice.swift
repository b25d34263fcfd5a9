import BelfryModel
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation

/// Draws people and predicates about them.
struct AudienceDice {
    static let schema: [String: AttributeType] = [
        "city": .string, "age": .number, "vip": .boolean, "birthday": .date, "zip": .string, "né": .string,
        "\u{600}'": .string,
    ]
    /// Long ones differ behind what an index holds of them.
    private static let long = String(repeating: "ab", count: 150)
    private static let texts =
        [
            "Paris", "paris", "Par", "100%", "a_b", "", "31", "31.0", "007", "1e1", "10", "-5", "+5", "5.", ".5",
            "1.2.3", "1e", "e1", "nan", "inf", "0x10", "true", "é", "e\u{301}", "ß", "Z", "😀", "😀x", "\u{10ffff}",
            "\u{d7ff}a", " 5", "1e300", "1e+300", "2026-11-21T00:00:00Z", "2026-11-21T00:00:00.000Z",
            "a,b:c", "{\"x\":1}", "back\\slash", "line\nbreak", "a/b",
        ] + ["", "x", "é"].map { long + $0 } + hostile
    /// A quote, a separator or a bracket that is not a separate `Character` (SEC-7).
    private static let hostile = [
        "x\u{600}'||(SELECT 1)||'\u{301}", "\u{600}'", "'\u{301}", "\"\u{301}", "\u{600}\"", "\\\u{301}", "?\u{301}",
        ",\u{301}", "\u{200d}'\u{fe0f}", "\u{2028}", "\u{600}\n\u{301}", "$.\u{600}\"x", "[\u{301}",
    ]
    private static let numbers: [Double] = [0, 5, -5, 10, 31, 0.5, 1_000_000, 1e21, 0.1 + 0.2, 1e300]
    private static let dateTexts = [
        "2026-11-21", "2026-11-20", "2026-03-29", "2026-11-21T13:00", "2026-11-21T13:00:00", "-P1D", "P1D", "-PT1H",
        "2026-11-21T12:00:00Z", "2026-11-21T13:00:00+01:00", "1990-05-29",
    ]
    private static let names = ["purchase", "open", "été"]

    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func person(_ number: Int) -> Person {
        var attributes: [String: AttributeValue] = [:]
        if isLikely { attributes["city"] = .string(pick(Self.texts)) }
        if isLikely { attributes["age"] = .number(pick(Self.numbers)) }
        if isLikely { attributes["vip"] = .boolean(pick([true, false])) }
        // Now and then what it held before it was defined as a date.
        if isLikely { attributes["birthday"] = isLikely ? .date(date) : .string(pick(Self.texts)) }
        if isLikely { attributes["zip"] = value }
        if isLikely { attributes["né"] = .string(pick(Self.texts)) }
        if isLikely { attributes["\u{600}'"] = value }
        var person = Person(
            name: "p\(number)é", attributes: isLikely ? attributes : nil, known: pick([true, false]),
            tags: isLikely ? [pick(["a", "b", "é", "\u{600}'"])] : [],
            system: SystemProperties(platform: pick(["ios", "android"]), osVersion: isLikely ? pick(Self.texts) : nil),
            isOptedIn: pick([true, false]), lastOpenedAt: isLikely ? date : nil
        )
        if isLikely {
            person.party = PartyIdentifier(
                type: pick(["email", "phone"]), name: pick(Self.texts), number: pick(Self.texts)
            )
        }
        person.events = entries
        person.eventsOfFormerDevice = isLikely ? [] : entries
        person.eventsOfOtherDevice = isLikely ? [] : entries
        person.eventsOfOthers = isLikely ? [] : entries
        return person
    }

    mutating func condition(depth: Int) -> Condition {
        guard depth > 0, roll(5) < 3 else { return leaf }
        let parts = (0...roll(3)).map { _ in condition(depth: depth - 1) }
        switch roll(3) {
        case 0: return .all(parts)
        case 1: return .any(parts)
        default: return .not(parts[0])
        }
    }

    private var leaf: Condition {
        mutating get {
            switch roll(17) {
            case 0: .everyone
            case 1: .tag(pick(["a", "b", "c", "e\u{301}", "\u{600}'"]))
            case 2: .known(pick([true, false]))
            case 3: .contactKeys(["p1é", "p2e\u{301}", "p\(roll(40))é"])
            case 4: .device(.platform, comparison)
            case 5: .device(.osVersion, comparison)
            case 6, 7: .attribute("birthday", dateComparison)
            case 8: .deviceFact(.lastOpenedAt, momentComparison)
            case 9: .deviceFact(.pushOptIn, pick([.equal(true), .equal(false), .notEqual(true)]))
            case 10, 11: .event(clause)
            case 12: .party(pick(PartyPart.allCases), comparison)
            default: .attribute(pick(["city", "age", "vip", "zip", "né", "ne\u{301}", "\u{600}'"]), comparison)
            }
        }
    }

    private var clause: EventClause {
        mutating get {
            EventClause(
                name: pick(Self.names), count: EventCount(pick(EventCount.Operator.allCases), roll(4)),
                within: pick(["P1D", "PT1H", "P1W", nil]).flatMap { try? ISODuration($0) },
                filter: isLikely ? filter(depth: 2) : nil
            )
        }
    }

    private mutating func filter(depth: Int) -> Condition {
        guard depth > 0, roll(3) == 0 else {
            return .attribute(
                pick(["sku", "amount", "at", "it's \"quoted\"", "e\u{301}", "none"] + Self.hostile), comparison)
        }
        let parts = (0...roll(2)).map { _ in filter(depth: depth - 1) }
        switch roll(3) {
        case 0: return .all(parts)
        case 1: return .any(parts)
        default: return .not(parts[0])
        }
    }

    private var entries: [Person.Entry] {
        mutating get {
            (0..<roll(4)).map { _ in
                var attributes: [String: AttributeValue] = [:]
                if isLikely { attributes["sku"] = .string(pick(Self.texts)) }
                if isLikely { attributes["amount"] = .number(pick(Self.numbers)) }
                if isLikely { attributes["at"] = isLikely ? .date(date) : value }
                // SQLite has no path to such a name, and reads fractions under it with fifteen digits.
                if isLikely { attributes["it's \"quoted\""] = .number(Double(roll(9))) }
                if !isLikely { attributes["e\u{301}"] = value }
                if isLikely { attributes[pick(Self.hostile)] = .string(pick(Self.texts)) }
                return Person.Entry(name: pick(Self.names), at: date, attributes: attributes)
            }
        }
    }

    private var comparison: Comparison {
        mutating get {
            let value = value
            switch roll(10) {
            case 0: return .notEqual(value)
            case 1: return .less(value)
            case 2: return .lessOrEqual(value)
            case 3: return .greater(value)
            case 4: return .greaterOrEqual(value)
            case 5: return .isIn([value, self.value, self.value])
            case 6: return .contains(pick(Self.texts))
            case 7: return .startsWith(pick(Self.texts))
            case 8: return .exists(pick([true, false]))
            default: return .equal(value)
            }
        }
    }

    private var dateComparison: Comparison {
        mutating get {
            guard roll(6) == 0 else { return momentComparison }
            return pick([.contains("2026"), .startsWith("2026-11-2"), .contains("")])
        }
    }

    private var momentComparison: Comparison {
        mutating get {
            let value = dateValue
            switch roll(8) {
            case 0: return .notEqual(value)
            case 1: return .less(value)
            case 2: return .lessOrEqual(value)
            case 3: return .greater(value)
            case 4: return .greaterOrEqual(value)
            case 5: return .isIn([value, dateValue, dateValue])
            case 6: return .exists(pick([true, false]))
            default: return .equal(value)
            }
        }
    }

    private var dateValue: AttributeValue {
        mutating get { roll(3) == 0 ? .date(date) : .string(pick(Self.dateTexts)) }
    }

    private var value: AttributeValue {
        mutating get {
            switch roll(5) {
            case 0: .number(pick(Self.numbers))
            case 1: .boolean(pick([true, false]))
            default: .string(pick(Self.texts))
            }
        }
    }

    /// Around the fixture's moment, and at the borders of days in its zone and of windows.
    private var date: Date {
        mutating get {
            let day: TimeInterval = 86_400
            let offsets: [TimeInterval] = [
                0, -day, day, -3_600, -46_800, -46_800.001, 39_600, 39_599.999, -7 * day, -400 * day, 0.001, 0.5,
            ]
            return seconds(pick(offsets))
        }
    }

    private var isLikely: Bool {
        mutating get { roll(4) > 0 }
    }

    private mutating func roll(_ sides: Int) -> Int {
        Int.random(in: 0..<sides, using: &generator)
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[roll(values.count)]
    }
}
