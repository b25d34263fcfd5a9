import BelfryModel
import BelfryStore
import Testing

@Suite("Attributes as the store keeps them")
struct StoredAttributesTests {
    @Test("PERF-4: what the store writes is read from its bytes as the decoder reads it")
    func written() throws {
        let attributes: [String: AttributeValue] = [
            "city": "Paris", "quoted": "\"é\"", "vip": true, "old": false, "whole": 7, "part": -1.5, "large": 2e300,
            "small": 1e-7,
        ]
        // With escapes and without.
        let cases: [[String: AttributeValue]] = [attributes, attributes.filter { $0.key != "quoted" }, [:]]
        for expected in cases {
            let read = try StoredAttributes.read(JSONText.encode(expected))
            #expect(read == expected)
        }
    }

    @Test(
        "SEC-6: numbers that Swift reads and JSON does not have are refused, in a row as in a body",
        arguments: ["nan", "NaN", "inf", "-infinity", "0x10", "0x1p3", "nan(7)"]
    )
    func otherNumbers(word: String) {
        #expect(throws: (any Error).self) { try StoredAttributes.read(#"{"size":\#(word)}"#) }
    }
}
