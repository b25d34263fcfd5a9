import BelfryModel
import Testing

@testable import BelfryAPI

@Suite("The JSON reader")
struct JSONReaderTests {
    @Test(
        "WIRE-23: what RFC 8259 calls JSON is read",
        arguments: [
            "{}", "[]", " [ ] ", "0", "-0", "1.5", "-1e5", "1E+3", "1e-7", "true", "false", "null", #""""#, #""a\"b""#,
            #""\u00e9\ud83d\ude00\/\b\f\n\r\t\\""#, "\"é😀\"", #"{"a":{"b":[1,{"c":null}]},"a":2}"#, "\t\r\n[1 , 2]\n",
            #""\ud800""#, "123456789012345678901234567890", "1e999",
        ]
    )
    func accepts(text: String) throws {
        try JSONReader.check(Array(text.utf8))
    }

    @Test(
        "WIRE-23: what it does not call JSON is refused",
        arguments: [
            "", " ", "{", "}", "[", "]", "[1,]", #"{"a":1,}"#, "{a:1}", #"{"a"}"#, #"{"a":}"#, #"{"a":1 "b":2}"#,
            "[1 2]",
            "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "tru", "nulll", #""abc"#, #""\x""#, #""\u12""#,
            #""\u12G4""#, #""\"#, "\"\u{1f}\"", "1 1", "'a'", "// a\n1", "\u{feff}1", "\u{b}1", "[1]]",
        ]
    )
    func refuses(text: String) {
        #expect(throws: JSONFault.self) { try JSONReader.check(Array(text.utf8)) }
    }

    @Test(
        "Values are read as what they are",
        arguments: [
            (#""a\u00e9\ud83d\ude00\n""#, .string("aé😀\n")), ("12", .number(12)), ("-0.5e1", .number(-5)),
            ("12345678901234567168", .number(12_345_678_901_234_567_168)), ("true", .boolean(true)),
            ("false", .boolean(false)), ("null", nil),
        ] as [(String, AttributeValue?)]
    )
    func values(text: String, expected: AttributeValue?) throws {
        var reader = try JSONReader(Array(text.utf8))
        #expect(try reader.attributeValueIfAny() == expected)
        try reader.end()
    }

    @Test("A fault names where it is, from the outside in")
    func faults() throws {
        var reader = try JSONReader(Array(#"{"a":[{"b":1},{"b":"x"}]}"#.utf8))
        let fault = #expect(throws: JSONFault.self) {
            try reader.object { reader, _ throws(JSONFault) in
                try reader.list { reader throws(JSONFault) in
                    try reader.object { reader, _ throws(JSONFault) in _ = try reader.string() }
                }
            }
        }
        #expect(fault?.field == "a[0].b")
        #expect(fault?.reason == "a[0].b: expected a string")
    }

    @Test("Depth counts what is open, not what was")
    func depth() throws {
        let wide =
            "["
            + Array(repeating: String(repeating: "[", count: 31) + String(repeating: "]", count: 31), count: 9)
            .joined(separator: ",") + "]"
        try JSONReader.check(Array(wide.utf8))
        #expect(throws: JSONFault.tooDeep) {
            try JSONReader.check(Array((String(repeating: "[", count: 33) + String(repeating: "]", count: 33)).utf8))
        }
    }
}
