import BelfryServerTestSupport
import BelfryTestSupport

/// Draws values that a schema allows.
struct SchemaSample {
    let description: APIDescription
    private var generator: SeededGenerator

    init(_ description: APIDescription, seed: UInt64) {
        self.description = description
        generator = SeededGenerator(seed: seed)
    }

    mutating func value(of schema: JSONValue, depth: Int = 0) -> JSONValue {
        let schema = description.resolved(schema)
        if let constant = schema["const"] { return constant }
        if let words = schema["enum"]?.elements { return pick(words) }
        if let alternatives = schema["oneOf"]?.elements {
            // Deep down those only that end there.
            let ending = alternatives.filter { !$0.text.contains("/schemas/Predicate") }
            return value(of: pick(depth > 3 ? ending : alternatives), depth: depth + 1)
        }
        let types =
            schema["type"]?.optionalString.map { [$0] }
            ?? (schema["type"] ?? .null).elements.compactMap(\.optionalString)
        switch types.isEmpty ? "object" : pick(types) {
        case "string": return string(schema)
        case "integer": return .number(Double(whole(schema, "minimum", "maximum", standard: -1_000...1_000)))
        case "number": return .number(Double(whole(schema, "minimum", "maximum", standard: -1_000...1_000)) / 8)
        case "boolean": return .boolean(pick([true, false]))
        case "null": return .null
        case "array":
            let count = whole(schema, "minItems", "maxItems", standard: 0...3)
            return .array((0..<min(count, 4)).map { _ in value(of: schema["items"] ?? .null, depth: depth + 1) })
        default: return object(schema, depth: depth)
        }
    }

    private mutating func object(_ schema: JSONValue, depth: Int) -> JSONValue {
        let required = (schema["required"] ?? .null).elements.compactMap(\.optionalString)
        var members: [String: JSONValue] = [:]
        for (name, part) in (schema["properties"] ?? .null).members.sorted(by: { $0.key < $1.key }) {
            let isWanted = pick([true, false])
            if isWanted || required.contains(name) { members[name] = value(of: part, depth: depth + 1) }
        }
        if let others = schema["additionalProperties"], case .object = others {
            for index in 0..<Int.random(in: 0...3, using: &generator) {
                members["key\(index)"] = value(of: others, depth: depth + 1)
            }
        }
        return .object(members)
    }

    private mutating func string(_ schema: JSONValue) -> JSONValue {
        if let examples = schema["examples"]?.elements { return pick(examples) }
        if schema["format"] == .string("uri") { return .string("https://example.com/a") }
        let length = whole(schema, "minLength", "maxLength", standard: 0...12)
        let letters = Array("abcxyzABC019 _-.:é")
        return .string(String((0..<length).map { _ in pick(letters) }))
    }

    /// A number within the bounds that these keywords set; near the standard ones where a bound is far away.
    private mutating func whole(
        _ schema: JSONValue, _ minimum: String, _ maximum: String, standard: ClosedRange<Int>
    ) -> Int {
        let least = schema[minimum]?.optionalNumber.map { Int($0) } ?? standard.lowerBound
        let most = schema[maximum]?.optionalNumber.map { Int($0) } ?? max(standard.upperBound, least)
        return pick([
            least, most, Int.random(in: least...min(most, max(least, standard.upperBound)), using: &generator),
        ])
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }
}
