import BelfryModel
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryAPI

/// PERF-4: what is stored as it stands means what a careful reader would have made of it.
@Suite("Plain objects")
struct PlainObjectTests {
    private static let maximum = 4
    private static let whiteSpace: Set<UInt8> = [0x20, 0x09, 0x0a, 0x0d]

    /// Writes objects that are plain, and such that are nearly so.
    private struct ObjectDice {
        var dice: SeededGenerator

        mutating func pick<Element>(_ elements: [Element]) -> Element {
            elements[Int.random(in: 0..<elements.count, using: &dice)]
        }

        private static let keys = ["a", "b", "ab", "c", "d", "é", "e\u{301}", "", #"\u0061"#, "a b", "\u{7f}", "null"]
        private static let plain = [
            #""x""#, #""""#, #""é😀""#, "0", "-0", "7", "-12.50", "0.0", "123456789012345678", "true", "false",
        ]
        private static let others = [
            #""a\"b""#, #""\u00e9""#, "1e3", "1E-2", "1.", ".5", "01", "+1", "-", "null", "nul", "tru", "{}", "[]",
            "[1]",
            #"{"a":1}"#, "1234567890123456789", "\"\u{1}\"", "NaN", "", "'x'", "0x1", "1e999",
        ]

        mutating func object() -> String {
            let isPlain = pick([true, true, false])
            var text = isPlain ? "{" : pick(["{", "{", "{ ", " {", "[", ""])
            for number in 0..<Int.random(in: 0...5, using: &dice) {
                let key = isPlain ? "k\(number)" : pick(Self.keys)
                let value = isPlain || pick([true, true, false]) ? pick(Self.plain) : pick(Self.others)
                let comma = isPlain ? "," : pick([",", ",", ",", ", ", ",,"])
                let colon = isPlain ? ":" : pick([":", ":", ":", ": ", ""])
                text += "\(number > 0 ? comma : "")\"\(key)\"\(colon)\(value)"
            }
            return text + (isPlain ? "}" : pick(["}", "}", "}", " }", "]", ""])) + pick(["", "", ",", " 1", "}"])
        }

        /// A byte changed, left out or added, now and then.
        mutating func bytes() -> [UInt8] {
            var bytes = Array(object().utf8)
            guard pick([true, false, false]), !bytes.isEmpty else { return bytes }
            let place = Int.random(in: 0..<bytes.count, using: &dice)
            switch pick([0, 1, 2]) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &dice)
            case 1: bytes.remove(at: place)
            default: bytes.insert(pick(Array(#"{}[]":,\ 019.-eE"#.utf8)), at: place)
            }
            return bytes
        }
    }

    /// The members that a careful reader finds; nil when there are none to find.
    private static func members(of text: String) throws -> [(key: String, value: AttributeValue?)] {
        var reader = try JSONReader(Array(text.utf8))
        var members: [(key: String, value: AttributeValue?)] = []
        try reader.object { reader, key throws(JSONError) in
            members.append((key, try reader.optionalAttributeValue()))
        }
        try reader.end()
        return members
    }

    private static func expectSame(_ plain: String, _ what: Comment) throws {
        let members = try Self.members(of: plain)
        #expect(members.count <= maximum && members.allSatisfy { $0.value != nil && !$0.key.isEmpty }, what)
        #expect(Set(members.map(\.key)).count == members.count, what)
        // As the store reads it.
        let stored = try JSONDecoder().decode([String: AttributeValue].self, from: Data(plain.utf8))
        #expect(stored.count == members.count && members.allSatisfy { stored[$0.key] == $0.value }, what)
    }

    @Test(
        "PERF-4, EVT-8: an object that is stored unparsed has the members that the full parser finds, none twice",
        arguments: Endurance.seeds(8, brief: 2))
    func sameMembers(seed: UInt64) throws {
        var dice = ObjectDice(dice: SeededGenerator(seed: seed))
        var taken = 0
        var left = 0
        for _ in 0..<2_000 {
            let bytes = dice.bytes()
            guard let start = try? JSONReader(bytes) else { continue }
            let what: Comment = "\(String(decoding: bytes, as: UTF8.self))"
            var reader = start
            guard let plain = reader.plainObject(maximumMembers: Self.maximum) else {
                left += 1
                // White space means nothing; but for it nothing was read.
                #expect(reader.bytes[..<reader.index].allSatisfy { Self.whiteSpace.contains($0) }, what)
                continue
            }
            taken += 1
            #expect(reader.bytes[..<reader.index].suffix(plain.utf8.count).elementsEqual(plain.utf8), what)
            try Self.expectSame(plain, what)
            var careful = start
            try careful.skipValue()
            #expect(careful.index == reader.index, what)
        }
        #expect(taken > 200 && left > 200, "\(taken) were taken, \(left) left")
    }

    @Test(
        "PERF-4: ordinary attributes are stored unparsed",
        arguments: [
            "{}", #"{"a":1}"#, #"{"a":"x","b":-1.5,"c":true,"d":false}"#, #"{"a":"é😀"}"#, #"{"a":""}"#, #"{"a":-0}"#,
            #"{"a":123456789012345678}"#, "{\"a\":\"\u{7f}\"}",
        ]
    )
    func takes(text: String) throws {
        var reader = try JSONReader(Array((" " + text + " ,").utf8))
        let plain = reader.plainObject(maximumMembers: Self.maximum)
        #expect(plain == text)
        let follower = reader.next()
        #expect(follower == UInt8(ascii: ","))
    }

    @Test(
        "PERF-4: other spellings, and invalid attributes, are left to the full parser",
        arguments: [
            "", "{", "}", "[]", "null", #"{"a":1,"a":2}"#, #"{"a":1,"b":2,"a":1}"#, #"{"a":null}"#, #"{"a":{}}"#,
            #"{"a":[]}"#, #"{"a":1e2}"#, #"{"a":"\n"}"#, #"{"\u0061":1}"#, #"{"é":1}"#, "{\"e\u{301}\":1}", #"{"":1}"#,
            #"{ "a":1}"#, #"{"a" :1}"#, #"{"a": 1}"#, #"{"a":1 }"#, #"{"a":1,}"#, #"{"a":01}"#, #"{"a":1.}"#,
            #"{"a":-}"#,
            #"{"a":1234567890123456789}"#, #"{"a":1,"b":1,"c":1,"d":1,"e":1}"#, #"{"a":truE}"#, #"{"a":1"#, #"{"a"}"#,
            #"{"a":"x}"#, "{\"a\":\"\u{1}\"}",
        ]
    )
    func leaves(text: String) throws {
        var reader = try JSONReader(Array(text.utf8))
        let plain = reader.plainObject(maximumMembers: Self.maximum)
        #expect(plain == nil && reader.index == 0)
    }

    @Test("PERF-5: a plain whole number is read as by the full parser", arguments: Endurance.seeds(4, brief: 2))
    func wholeNumbers(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let letters = Array("0123456789.eE-+ ,".utf8)
        var taken = 0
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...22, using: &dice)
            let digits = Int.random(in: 0...count, using: &dice)
            let bytes = (0..<count).map { place in
                letters[Int.random(in: 0..<(place < digits ? 10 : letters.count), using: &dice)]
            }
            var reader = try JSONReader(bytes)
            let what: Comment = "\(String(decoding: bytes, as: UTF8.self))"
            guard let whole = reader.plainWhole() else { continue }
            taken += 1
            let read = reader.bytes[..<reader.index].filter { $0 != 0x20 }
            #expect(Int64(String(decoding: read, as: UTF8.self)) == whole && whole >= 0, what)
            var careful = try JSONReader(bytes)
            try careful.skipValue()
            #expect(careful.index == reader.index, what)
        }
        #expect(taken > 200)
    }
}
