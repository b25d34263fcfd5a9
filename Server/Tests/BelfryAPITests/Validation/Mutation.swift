import BelfryServerTestSupport
import BelfryTestSupport

/// Spoils requests by chance: the same seed spoils them the same way.
struct Mutation {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// Values that somebody may send in the place of any other.
    private static let oddValues: [JSONValue] = [
        .null, .boolean(true), .boolean(false), .number(0), .number(-1), .number(1.5), .number(1e18), .number(1e308),
        .number(9_007_199_254_740_992), .string(""), .string(" "), .string("\u{0}"), .string("a\u{0}b"),
        .string("null"), .string("é\u{301}\u{200d}👩‍👩‍👧"), .string(String(repeating: "x", count: 300)),
        .string(String(repeating: "💥", count: 5_000)), .string("2026-11-21T12:00:00.000Z"), .string("../../etc/passwd"),
        .string("'; DROP TABLE devices; --"), .string("6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11"), .string("{}"),
        .array([]), .array([.null]), .array([.array([]), .object([:])]), .object([:]), .object(["": .null]),
        .object(["id": .string("x"), "type": .number(1)]),
    ]

    /// Pieces of JSON that no encoder writes.
    private static let oddText = [
        "1e400", "-0", "1E+2", "0.1e-500", "00", "+1", ".5", "NaN", "Infinity", #""\ud800""#, #""\udfff\ud800""#,
        #""\u0000""#, #""\x""#, "'", ",", "{", "}", "[", "]", ":", "\u{feff}", "\u{0}", "tru", "nul", "/**/", "//",
        #"{"a":1,"a":2}"#,
    ]

    mutating func chance(_ part: Int, of whole: Int) -> Bool {
        Int.random(in: 0..<whole, using: &generator) < part
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    /// A body as bytes: the tree spoiled once to three times, and its text as well now and then.
    mutating func body(from tree: JSONValue) -> [UInt8] {
        var tree = tree
        for _ in 0..<Int.random(in: 1...3, using: &generator) { tree = spoiled(tree, depth: 0) }
        var bytes = Array(tree.text.utf8)
        while chance(1, of: 3) { spoil(&bytes) }
        return bytes
    }

    private mutating func spoiled(_ value: JSONValue, depth: Int) -> JSONValue {
        // The deeper, the rather here and not further down.
        guard depth < 6, chance(3, of: 4) else { return replacement(of: value) }
        switch value {
        case .object(let members) where !members.isEmpty:
            let key = pick(members.keys.sorted())
            var changed = value
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: changed[key] = nil
            case 1: changed[pick(["", "unknown", key + key, key.uppercased(), "\u{0}"])] = pick(Self.oddValues)
            default: changed[key] = members[key].map { spoiled($0, depth: depth + 1) }
            }
            return changed
        case .array(var elements) where !elements.isEmpty:
            let index = Int.random(in: 0..<elements.count, using: &generator)
            elements[index] = spoiled(elements[index], depth: depth + 1)
            if chance(1, of: 4) { elements += elements }
            return .array(elements)
        default:
            return replacement(of: value)
        }
    }

    private mutating func replacement(of value: JSONValue) -> JSONValue {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return .array([value])
        case 1: return .object(["value": value])
        case 2: return (0..<Int.random(in: 1...40, using: &generator)).reduce(value) { inner, _ in .array([inner]) }
        case 3:
            guard case .string(let text) = value else { return .string(value.text) }
            return .string(String(text.reversed()) + text)
        default: return pick(Self.oddValues)
        }
    }

    private mutating func spoil(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes.append(UInt8.random(in: 0...255, using: &generator)) }
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
        case 3: bytes.removeSubrange(index...)
        case 4: bytes.insert(contentsOf: Array(pick(Self.oddText).utf8), at: index)
        default: bytes.insert(contentsOf: bytes[index...].prefix(64), at: index)
        }
    }

    /// A header's value or a part of an address, percent-encoded or not.
    mutating func text() -> String {
        pick([
            "", " ", "x", "-1", "1e400", "9999999999999999999999", "null", "%00", "%ff", "%2e%2e%2f", "..", ".", "*",
            "a%20b", "é", "👍", "true", "false", "0", "2026-11-21T12:00:00Z", "6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11",
            String(repeating: "x", count: 2_000), "'", "\"", "\\", "a.b.c", "1795262400000", "gzip", "application/json",
        ])
    }
}
