import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryTestSupport
import BelfryWire
import Testing

@testable import BelfryAPI

/// A pattern of the description takes what the server takes, and nothing else (WIRE-28).
@Suite("Patterns of the description")
struct PatternTests {
    private static let description = APIDescription.own

    private static func fits(_ text: String, _ schema: JSONValue) -> Bool {
        description.strictly.errors(of: .string(text), schema).isEmpty
    }

    /// Texts of the letters that durations are made of, and the neighbours of those that are some.
    private static func durations(_ dice: inout SeededGenerator) -> [String] {
        let letters = Array("PTWDHM019 -.P")
        let numbers = ["", "0", "1", "30", "3650", "3651", "12345678", "123456789"]
        return (0..<3_000).map { _ in
            if Bool.random(using: &dice) {
                return "P"
                    + String(
                        (0..<Int.random(in: 0...8, using: &dice)).map { _ in
                            letters[Int.random(in: 0..<letters.count, using: &dice)]
                        })
            }
            func part(_ unit: String) -> String {
                Bool.random(using: &dice)
                    ? "" : numbers[Int.random(in: 0..<numbers.count, using: &dice)] + unit
            }
            return "P" + part("W") + part("D") + (Bool.random(using: &dice) ? "T" : "") + part("H") + part("M")
        }
    }

    @Test("WIRE-28: exactly valid durations match their pattern", arguments: Endurance.seeds(6, brief: 2))
    func duration(seed: UInt64) throws {
        let cap = try #require(Self.description.schema("FrequencyCap")?["properties"]?["within"])
        let event = try JSONValue(parsing: JSONSchema.duration("P30D").tree.bytes)
        #expect(cap["pattern"] == event["pattern"])
        var dice = SeededGenerator(seed: seed)
        var taken = 0
        for text in Self.durations(&dice) + ["P468M980", "P7D", "PT12H", "P1DT30M", "P2W", "P", "PT", "P1DT", "p1d"] {
            let isDuration: Bool
            do throws(ValueError) {
                _ = try ISODuration(text)
                isDuration = true
            } catch {
                // A text that is too long or too short is well formed, so it gets a 422.
                isDuration = error.code == "outOfRange"
            }
            taken += isDuration ? 1 : 0
            #expect(Self.fits(text, cap) == isDuration, "\(text)")
        }
        #expect(taken > 100)
    }

    @Test("WIRE-28: exactly valid Idempotency-Keys match their schema", arguments: Endurance.seeds(6, brief: 2))
    func idempotencyKey(seed: UInt64) throws {
        let schemas = Self.description.operations.flatMap { operation in
            (operation.definition["parameters"] ?? .null).elements.map(Self.description.resolved)
        }
        .filter { $0["name"] == .string(HeaderNames.idempotencyKey) }.compactMap { $0["schema"] }
        #expect(schemas.count > 20)
        var dice = SeededGenerator(seed: seed)
        let letters = Array("abcXYZ019!~-_ \t\"\\é\u{7f}\u{0}")
        for _ in 0..<500 {
            let length = [0, 1, 5, 36, 254, 255, 256][Int.random(in: 0..<7, using: &dice)]
            let pool = Bool.random(using: &dice) ? Array(letters.prefix(13)) : letters
            let key = String((0..<length).map { _ in pool[Int.random(in: 0..<pool.count, using: &dice)] })
            let isTaken = (try? APIError.rejectUnfit(idempotencyKey: key)) != nil
            for schema in Set(schemas) { #expect(Self.fits(key, schema) == isTaken, "'\(key)'") }
        }
    }

    @Test("WIRE-28: an address that may be a template is not described as a URI")
    func templates() throws {
        for (name, field) in [
            ("InAppAction", "url"), ("NotificationAction", "url"), ("PushContent", "imageUrl"),
            ("PushVariant", "imageUrl"),
        ] {
            let schema = try #require(Self.description.schema(name)?["properties"]?[field])
            #expect(schema["type"] == .string("string") && schema["format"] == nil, "\(name).\(field)")
        }
    }

    @Test("WIRE-28, SEC-2: every operation describes too large headers, and the known expectation")
    func everyOperation() {
        for operation in Self.description.operations {
            for status in ["431", "417"] { #expect(operation.responses[status] != nil, "\(operation.id) \(status)") }
        }
    }
}
