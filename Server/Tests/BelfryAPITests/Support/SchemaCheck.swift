import BelfryTestSupport
import Synchronization

/// Holds JSON against schemas of the description: the part of JSON Schema that it uses, and not a word more.
struct SchemaCheck: Sendable {
    /// Keywords that say something to people only.
    static let silent: Set<String> = ["description", "format", "examples", "readOnly"]
    /// Keywords that it understands.
    static let known: Set<String> = silent.union([
        "$ref", "type", "const", "enum", "oneOf", "minimum", "maximum", "minLength", "maxLength", "minItems",
        "maxItems",
        "pattern", "items", "properties", "required", "additionalProperties",
    ])

    /// The compiled patterns of the description: there are few of them, and to compile one takes longer than to match it.
    private static let patterns = Mutex<[String: Regex<AnyRegexOutput>]>([:])

    /// The target of `$ref`.
    let document: JSONValue
    /// Whether a member that is not described is an error; a response must not have one.
    let isClosed: Bool

    /// The errors of a value, each with its place; empty if the value conforms to the schema.
    func errors(of value: JSONValue, _ schema: JSONValue, at place: String = "$") -> [String] {
        guard case .object(let keywords) = schema else { return ["\(place): the schema is no object"] }
        let found = keywords.sorted { $0.key < $1.key }.flatMap { keyword, argument in
            errors(of: value, keyword, argument, beside: keywords, at: place)
        }
        return found + unknownMembers(of: value, keywords, at: place)
    }

    /// The schema `#/components/schemas/Error`.
    func resolve(_ reference: String) -> JSONValue? {
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(document as JSONValue?) { $0?[String($1)] }
    }

    private func errors(
        of value: JSONValue, _ keyword: String, _ argument: JSONValue, beside keywords: [String: JSONValue],
        at place: String
    ) -> [String] {
        switch keyword {
        case "$ref":
            guard let schema = argument.optionalString.flatMap(resolve) else {
                return ["\(place): nothing at \(argument.text)"]
            }
            return errors(of: value, schema, at: place)
        case "type": return isOf(argument, value) ? [] : ["\(place): \(value.type) is not \(argument.text)"]
        case "const": return value == argument ? [] : ["\(place): \(value.text) is not \(argument.text)"]
        case "enum":
            return argument.elements.contains(value) ? [] : ["\(place): \(value.text) is none of \(argument.text)"]
        case "oneOf": return alternatives(value, argument.elements, at: place)
        case "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems":
            return isWithin(keyword, argument.optionalNumber ?? .nan, value)
                ? [] : ["\(place): \(keyword) is \(argument.text), not as \(value.text.prefix(80))"]
        case "pattern":
            return fits(value, argument) ? [] : ["\(place): \(value.text.prefix(80)) is not \(argument.text)"]
        case "items":
            return value.elements.enumerated().flatMap { errors(of: $1, argument, at: "\(place)[\($0)]") }
        case "properties":
            return value.members.sorted { $0.key < $1.key }.flatMap { key, member in
                argument[key].map { errors(of: member, $0, at: "\(place).\(key)") } ?? []
            }
        case "required":
            guard case .object(let members) = value else { return [] }
            return argument.elements.compactMap(\.optionalString).filter { members[$0] == nil }.map {
                "\(place).\($0) is missing"
            }
        case "additionalProperties": return additional(value, argument, beside: keywords, at: place)
        default: return Self.silent.contains(keyword) ? [] : ["\(place): unknown keyword \(keyword)"]
        }
    }

    private func isOf(_ types: JSONValue, _ value: JSONValue) -> Bool {
        let names = types.optionalString.map { [$0] } ?? types.elements.compactMap(\.optionalString)
        let isWhole = value.optionalNumber.map { $0.rounded() == $0 } ?? false
        return names.contains(value.type) || (isWhole && names.contains("integer"))
    }

    private func alternatives(_ value: JSONValue, _ schemas: [JSONValue], at place: String) -> [String] {
        let tried = schemas.map { errors(of: value, $0, at: place) }
        let fitting = tried.filter(\.isEmpty).count
        guard fitting != 1 else { return [] }
        return ["\(place): fits \(fitting) of \(schemas.count) alternatives, not one (\(tried.joined()))"]
    }

    /// A bound on numbers says nothing of a string, and so on.
    private func isWithin(_ keyword: String, _ bound: Double, _ value: JSONValue) -> Bool {
        switch (keyword, value) {
        case ("minimum", .number(let number)): number >= bound
        case ("maximum", .number(let number)): number <= bound
        case ("minLength", .string(let text)): Double(text.unicodeScalars.count) >= bound
        case ("maxLength", .string(let text)): Double(text.unicodeScalars.count) <= bound
        case ("minItems", .array(let elements)): Double(elements.count) >= bound
        case ("maxItems", .array(let elements)): Double(elements.count) <= bound
        default: true
        }
    }

    private func fits(_ value: JSONValue, _ pattern: JSONValue) -> Bool {
        guard let text = value.optionalString else { return true }
        guard let pattern = pattern.optionalString else { return false }
        return Self.patterns.withLock { patterns in
            guard let regex = patterns[pattern] ?? (try? Regex(pattern)) else { return false }
            patterns[pattern] = regex
            return text.firstMatch(of: regex) != nil
        }
    }

    private func additional(
        _ value: JSONValue, _ argument: JSONValue, beside keywords: [String: JSONValue], at place: String
    ) -> [String] {
        let known = keywords["properties"]?.members ?? [:]
        let others = value.members.filter { known[$0.key] == nil }.sorted { $0.key < $1.key }
        switch argument {
        case .boolean(true): return []
        case .boolean(false): return others.map { "\(place).\($0.key) is not allowed" }
        default: return others.flatMap { errors(of: $0.value, argument, at: "\(place).\($0.key)") }
        }
    }

    private func unknownMembers(of value: JSONValue, _ keywords: [String: JSONValue], at place: String) -> [String] {
        guard isClosed, let known = keywords["properties"], keywords["additionalProperties"] == nil else { return [] }
        return value.members.keys.sorted().filter { known[$0] == nil }.map { "\(place).\($0) is not described" }
    }
}
