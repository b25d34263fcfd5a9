import BelfryModel
import Testing

@testable import BelfryAPI

@Suite("The JSON reader")
struct JSONReaderTests {
    @Test("SEC-7: keys and values with long runs of marks are read in Stream-Safe Format, escaped or not")
    func marks() throws {
        let marks = String(repeating: "\u{301}\u{316}", count: 50)
        let escaped = String(repeating: #"\u0301\u0316"#, count: 50)
        for run in [marks, escaped] {
            var reader = try JSONReader(Array(#"{"a\#(run)":"b\#(run)"}"#.utf8))
            #expect(reader.plainObject(maximumMembers: 3) == nil)
            var read: [(key: String, value: String)] = []
            try reader.object { reader, key throws(JSONError) in read.append((key, try reader.string())) }
            #expect(read.count == 1)
            for (key, value) in read {
                #expect(StreamSafeText.isSafe(key) && key.unicodeScalars.count == 1 + 100 + 3)
                #expect(StreamSafeText.isSafe(value) && value.unicodeScalars.count == 1 + 100 + 3)
            }
        }
        var reader = try JSONReader(Array(#"{"a":"b\#(marks)"}"#.utf8))
        #expect(reader.plainObject(maximumMembers: 3) == nil && reader.index == 0)
        reader = try JSONReader(Array(#"{"a":"bé\#u{301}"}"#.utf8))
        #expect(reader.plainObject(maximumMembers: 3) == #"{"a":"bé\#u{301}"}"#)
    }

    @Test(
        "WIRE-23: everything that RFC 8259 calls JSON is read",
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
        "WIRE-23: everything else is refused",
        arguments: [
            "", " ", "{", "}", "[", "]", "[1,]", #"{"a":1,}"#, "{a:1}", #"{"a"}"#, #"{"a":}"#, #"{"a":1 "b":2}"#,
            "[1 2]",
            "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "tru", "nulll", #""abc"#, #""\x""#, #""\u12""#,
            #""\u12G4""#, #""\"#, "\"\u{1f}\"", "1 1", "'a'", "// a\n1", "\u{feff}1", "\u{b}1", "[1]]",
        ]
    )
    func rejects(text: String) {
        #expect(throws: JSONError.self) { try JSONReader.check(Array(text.utf8)) }
    }

    @Test(
        "Values are read with their types",
        arguments: [
            (#""a\u00e9\ud83d\ude00\n""#, .string("aé😀\n")), ("12", .number(12)), ("-0.5e1", .number(-5)),
            ("12345678901234567168", .number(12_345_678_901_234_567_168)), ("true", .boolean(true)),
            ("false", .boolean(false)), ("null", nil),
        ] as [(String, AttributeValue?)]
    )
    func values(text: String, expected: AttributeValue?) throws {
        var reader = try JSONReader(Array(text.utf8))
        #expect(try reader.optionalAttributeValue() == expected)
        try reader.end()
    }

    @Test("An error says where it is, from the outside in")
    func faults() throws {
        var reader = try JSONReader(Array(#"{"a":[{"b":1},{"b":"x"}]}"#.utf8))
        let fault = #expect(throws: JSONError.self) {
            try reader.object { reader, _ throws(JSONError) in
                try reader.list { reader throws(JSONError) in
                    try reader.object { reader, _ throws(JSONError) in _ = try reader.string() }
                }
            }
        }
        #expect(fault?.field == "a[0].b")
        #expect(fault?.reason == "a[0].b: expected a string")
    }

    @Test("Depth counts open containers, not closed ones")
    func depth() throws {
        let wide =
            "["
            + Array(repeating: String(repeating: "[", count: 31) + String(repeating: "]", count: 31), count: 9)
            .joined(separator: ",") + "]"
        try JSONReader.check(Array(wide.utf8))
        #expect(throws: JSONError.tooDeep) {
            try JSONReader.check(Array((String(repeating: "[", count: 33) + String(repeating: "]", count: 33)).utf8))
        }
    }
}
