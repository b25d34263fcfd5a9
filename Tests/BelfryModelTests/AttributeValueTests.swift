import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

struct AttributeValueTests {
    private let noon = Date(milliseconds: 1_795_262_400_123)

    @Test("REG-1: values are JSON strings, numbers and booleans; dates are ISO 8601 strings")
    func encoding() throws {
        let table: [(AttributeValue, String)] = [
            ("Paris", #""Paris""#), ("", #""""#), (31, "31"), (0.5, "0.5"), (-3, "-3"), (true, "true"),
            (false, "false"),
            (.number(9_007_199_254_740_992), "9007199254740992"), (.date(noon), #""2026-11-21T12:00:00.123Z""#),
        ]
        for (value, json) in table {
            #expect(try encoded([value]) == "[\(json)]")
            #expect(try decoded([AttributeValue].self, "[\(json)]") == [value.asWritten])
        }
    }

    @Test(
        "REG-10: null, lists, objects and numbers out of range are not values",
        arguments: ["null", "[]", "{}", "1e400"])
    func rejection(_ json: String) {
        let error = #expect(throws: DecodingError.self) {
            try decoded([String: AttributeValue].self, #"{"city":\#(json)}"#)
        }
        #expect(error?.field == "city")
        #expect(error?.explanation == "an attribute value is a string, a number, a boolean or a date")
    }

    @Test("REG-10: only a text of white space is blank")
    func blank() {
        for value: AttributeValue in ["", " ", "\n\t\u{00a0}"] { #expect(value.isBlank) }
        for value: AttributeValue in ["a", " a ", 0, false, .date(noon)] { #expect(!value.isBlank) }
        #expect(AttributeValue.string(" a b \n").trimmed == "a b")
        #expect(AttributeValue.number(1).trimmed == 1)
    }

    @Test("REG-25: a type accepts its own values, and a date also as text")
    func types() {
        let values: [AttributeValue] = ["Paris", 31, true, .date(noon), "2026-11-21T12:00:00.123Z"]
        let table: [(AttributeType, [AttributeValue?])] = [
            (.string, ["Paris", nil, nil, nil, "2026-11-21T12:00:00.123Z"]),
            (.number, [nil, 31, nil, nil, nil]),
            (.boolean, [nil, nil, true, nil, nil]),
            (.date, [nil, nil, nil, .date(noon), .date(noon)]),
        ]
        for (type, admitted) in table {
            #expect(values.map(type.admit) == admitted, "\(type)")
        }
    }
}
