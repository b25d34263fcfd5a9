import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

@Suite("JSON from outside")
struct CheckedJSONTests {
    private static func error(_ bytes: some Sequence<UInt8>, _ depth: Int = 32) -> JSONGrammarError? {
        do {
            _ = try CheckedJSON(Data(bytes), maximumDepth: depth)
            return nil
        } catch {
            return error
        }
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test(
        "SEC-6: everything that RFC 8259 calls JSON is accepted",
        arguments: [
            "{}", "[]", " [ ] ", "0", "-0", "1.5", "-1e5", "1E+3", "1e-7", "true", "false", "null", #""""#, #""a\"b""#,
            #""\u00e9\ud83d\ude00\/\b\f\n\r\t\\""#, "\"é😀\u{600}\u{301}\u{10ffff}\"",
            #"{"a":{"b":[1,{"c":null}]},"a":2}"#,
            "\t\r\n[1 , 2]\n", "[[],{},[{}]]", #"{"a":[],"b":{}}"#, "\u{feff}{}", "1e999",
            String(repeating: "9", count: JSONGrammar.maximumNumberLength),
        ]
    )
    func good(text: String) {
        #expect(Self.error(text.utf8) == nil)
    }

    @Test(
        "SEC-6: everything else is refused",
        arguments: [
            "", " ", "{", "}", "[", "]", "[1,]", "[,1]", #"{"a":1,}"#, #"{,"a":1}"#, "{a:1}", #"{"a"}"#, #"{"a":}"#,
            #"{"a":1 "b":2}"#, "[1 2]", "[1}", #"{"a":1]"#, "01", "-", "-01", "+1", ".5", "1.", "1.e1", "1e", "1e+",
            "0x1", "NaN",
            "tru", "nulll", "True", #""abc"#, #""\x""#, #""\u12""#, #""\u12G4""#, #""\"#, "\"\u{1f}\"", "1 1", "'a'",
            "// a\n1",
            "\u{b}1", "[1]]", "\u{0}", "1\u{0}", "\u{feff}\u{feff}1", "é", #"{"a":1}x"#, "[1,\u{a0}2]",
            String(repeating: "9", count: JSONGrammar.maximumNumberLength + 1),
        ]
    )
    func bad(text: String) {
        guard case .malformed = Self.error(text.utf8) else {
            Issue.record("\(text.prefix(40).debugDescription)")
            return
        }
    }

    @Test("SEC-6: bytes that are not UTF-8 are refused anywhere")
    func encodings() {
        let wrong: [[UInt8]] = [
            [0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22],
            [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22],
            [0x22, 0xe2, 0x82, 0x22], [0x22, 0xf0, 0x9f, 0x98], [0xff, 0xfe, 0x31, 0x00], [0x22, 0x80, 0x22],
            [0x22, 0xc3],
        ]
        for bytes in wrong { #expect(Self.error(bytes) == .notUTF8, "\(bytes)") }
    }

    @Test("SEC-6: in a long text, too, each byte is looked at, wherever it stands")
    func everyPlace() {
        let length = 20
        for place in 0..<length {
            for byte in UInt8.min...UInt8.max {
                var text = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                text[place] = byte
                let expected: JSONGrammarError? =
                    switch byte {
                    case 0..<0x20: .malformed(offset: place + 1, expected: "an escape for a control character")
                    case UInt8(ascii: "\""): .malformed(offset: place + 2, expected: "the end")
                    case UInt8(ascii: "\\") where place == length - 1:
                        .malformed(offset: length + 2, expected: "a closing quote")
                    case UInt8(ascii: "\\"): .malformed(offset: place + 1, expected: "an escape")
                    case 0x80...: .notUTF8
                    default: nil
                    }
                #expect(Self.error([0x22] + text + [0x22]) == expected, "byte \(byte) at \(place)")
            }
        }
    }

    @Test("SEC-6: depth is limited, counts open containers, and the deepest does not overflow the stack")
    func depth() {
        #expect(Self.error(Self.nested(32).utf8) == nil)
        #expect(Self.error(Self.nested(33).utf8) == .tooDeep)
        #expect(Self.error(Self.nested(64).utf8, 1_000) == nil)
        #expect(Self.error(Self.nested(65).utf8, 1_000) == .tooDeep)
        #expect(Self.error("[\(Array(repeating: Self.nested(31), count: 9).joined(separator: ","))]".utf8) == nil)
        #expect(Self.error(String(repeating: "[", count: 400_000).utf8) == .tooDeep)
        #expect(Self.error(String(repeating: #"{"a":"#, count: 200_000).utf8) == .tooDeep)
        // Objects and lists in turn: each is closed by what it was opened with.
        let mixed = String(repeating: #"[{"a":"#, count: 16) + "1" + String(repeating: "}]", count: 16)
        #expect(Self.error(mixed.utf8) == nil)
        #expect(Self.error(mixed.replacing("}]}]", with: "}}]]").utf8) != nil)
    }

    @Test("SEC-6: a text that is too long is not read")
    func length() {
        #expect(throws: JSONGrammarError.tooLong) { try CheckedJSON(Data("[1]".utf8), maximumBytes: 2) }
        #expect(throws: Never.self) { try CheckedJSON(Data("[1]".utf8), maximumBytes: 3) }
        #expect(throws: DecodingError.self) { try CheckedJSON.decode([Int].self, from: "[1]".utf8, maximumBytes: 2) }
        #expect(Self.error(Array(repeating: 0x20, count: CheckedJSON.standardLength + 1)) == .tooLong)
    }

    @Test("SEC-6: an error says where it is")
    func place() {
        #expect(Self.error(#"{"a": tru}"#.utf8) == .malformed(offset: 6, expected: "a value"))
        #expect(Self.error(#"{"a":1 "b"}"#.utf8) == .malformed(offset: 7, expected: "',' or '}'"))
        #expect(Self.error("[1 2]".utf8) == .malformed(offset: 3, expected: "',' or ']'"))
        #expect(Self.error("[1]]".utf8) == .malformed(offset: 3, expected: "the end"))
    }

    /// Something of every type that is asked for.
    private struct Anything: Decodable {
        var text: String?
        var number: Double?
        var whole: Int?
        var byte: UInt8?
        var flag: Bool?
        var list: [AttributeValue]?
        var map: [String: AttributeValue]?
    }

    @Test(
        "SEC-6: the decoder reads or refuses accepted text, and never reads refused text",
        arguments: Endurance.seeds(8, brief: 2))
    func property(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let parts = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud83d", "\\ude00", "0", "-", "1e999", "1e-999", ".5",
            "E+", "9999999999",
            "true", "null", "NaN", "\"text\":", "\"number\":", "\"whole\":", "\"byte\":", "\"map\":{\"a\":",
            "\"list\":[", "\"a\"",
            "\"\u{600}\u{301}\"", "\u{200d}", "é", "\u{feff}", " ", "\n", "\u{0}", "-0", "1.5", "256",
            "9223372036854775808", "{}", "[]",
        ]
        for _ in 0..<4_000 {
            var text = Bool.random(using: &dice) ? "{" : ""
            for _ in 0..<Int.random(in: 0...10, using: &dice) { text += parts.randomElement(using: &dice) ?? "" }
            if text.hasPrefix("{"), Bool.random(using: &dice) { text += "}" }
            let data = Data(text.utf8)
            guard let json = try? CheckedJSON(data) else {
                // The decoder would also reject everything that is rejected here, except a comma after the last member.
                let isLastComma = String(text.filter { $0 != " " && $0 != "\n" }).contains(",}")
                let read = try? JSONDecoder().decode([String: AttributeValue].self, from: data)
                #expect(read == nil || isLastComma, "\(text.debugDescription)")
                continue
            }
            _ = try? json.decode(Anything.self)
            _ = try? json.decode([String: AttributeValue].self)
            _ = try? json.decode(AttributeValue.self)
            _ = try? json.decode([Int].self)
            _ = try? json.tree()
        }
    }

    @Test("SEC-6: a tree that somebody else has made is written if its depth and its parts are bounded")
    func written() throws {
        func lists(_ depth: Int) -> Any {
            var tree: Any = [Any]()
            for _ in 1..<depth { tree = [tree] }
            return tree
        }
        let deepest = CheckedJSON.standardDepth
        let text = try #require(CheckedJSON.written(lists(deepest), maximumBytes: 100))
        #expect(String(decoding: text, as: UTF8.self) == Self.nested(deepest))
        #expect(CheckedJSON.written(lists(deepest + 1), maximumBytes: 100) == nil)
        // The name, its letter and the list are three.
        let (most, more) = (Array(repeating: 0, count: 97), Array(repeating: 0, count: 98))
        #expect(CheckedJSON.written(["a": most], maximumBytes: 100) != nil)
        #expect(CheckedJSON.written(["a": more], maximumBytes: 100) == nil)
        #expect(CheckedJSON.written(7, maximumBytes: 100) == nil)
    }

    @Test("SEC-6: texts and names of a tree count with their bytes: one long text may stand in it again and again")
    func writtenTexts() throws {
        let long = String(repeating: "\u{e9}", count: 49)
        #expect(CheckedJSON.written([long], maximumBytes: 99) != nil)
        #expect(CheckedJSON.written([long], maximumBytes: 98) == nil)
        #expect(CheckedJSON.written([[long: 0]], maximumBytes: 101) != nil)
        #expect(CheckedJSON.written([[long: 0]], maximumBytes: 100) == nil)
        // Whatever may be read is written.
        for text in [#"{"":{"":[[],{},""]}}"#, #"[[[""]],{"a":"b"},1]"#] {
            let tree = try CheckedJSON(Data(text.utf8)).tree()
            #expect(CheckedJSON.written(tree, maximumBytes: text.utf8.count) == Data(text.utf8), "\(text)")
        }
    }

    @Test("SEC-6: JSON with something hostile at every place is accepted or refused, and read without a trap")
    func hostile() {
        let texts = [
            #"{"text":"a\u00e9b","number":-1.5e1,"list":[1,true,null]}"#, #"{"map":{"a":"\ud83d\ude00"},"whole":255}"#,
        ]
        for text in HostileTexts.around(texts) {
            guard let json = try? CheckedJSON(Data(text.utf8)) else { continue }
            _ = try? json.decode(Anything.self)
            _ = try? json.tree()
        }
    }
}
