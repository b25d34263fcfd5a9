import BelfryTestSupport

/// The values that a scenario has bound to names, and the comparison of values with patterns.
struct Bindings: Hashable, Sendable {
    private(set) var values: [String: JSONValue] = [:]

    /// - Returns: what does not match, with its place; nil if everything does.
    mutating func mismatch(_ value: JSONValue?, _ pattern: JSONValue, at place: String) throws(ScenarioError) -> String?
    {
        let present = value.flatMap { $0 == .null ? nil : $0 }
        switch pattern {
        case .null:
            return present.map { "\(place) is \($0), expected none" }
        case .string("$any"):
            return present == nil ? "\(place) is absent" : nil
        case .string(let text) where text.hasPrefix("$"):
            return bind(present, to: String(text.dropFirst()), at: place)
        case .boolean, .number, .string:
            return present == pattern ? nil : "\(place) is \(Self.shown(present)), expected \(pattern)"
        case .array(let patterns):
            return try arrayMismatch(present, patterns, at: place)
        case .object(let object):
            if object.count == 1, let (key, operand) = object.first, key.hasPrefix("$") {
                return try operatorMismatch(present, key, operand, at: place)
            }
            return try objectMismatch(present, object, at: place)
        }
    }

    private static func shown(_ value: JSONValue?) -> String {
        value?.description ?? "absent"
    }

    private mutating func bind(_ value: JSONValue?, to name: String, at place: String) -> String? {
        guard let value else { return "\(place) is absent, expected $\(name)" }
        guard let bound = values[name] else {
            values[name] = value
            return nil
        }
        return bound == value ? nil : "\(place) is \(value), but $\(name) is \(bound)"
    }

    private mutating func arrayMismatch(
        _ value: JSONValue?, _ patterns: [JSONValue], at place: String
    ) throws(ScenarioError) -> String? {
        guard let elements = value?.array, elements.count == patterns.count else {
            return "\(place) is \(Self.shown(value)), expected \(JSONValue.array(patterns))"
        }
        for (number, element) in elements.enumerated() {
            if let wrong = try mismatch(element, patterns[number], at: "\(place)[\(number)]") { return wrong }
        }
        return nil
    }

    private mutating func objectMismatch(
        _ value: JSONValue?, _ patterns: [String: JSONValue], at place: String
    ) throws(ScenarioError) -> String? {
        guard let object = value?.object else { return "\(place) is \(Self.shown(value)), expected an object" }
        for (key, pattern) in patterns.sorted(by: { $0.key < $1.key }) {
            if let wrong = try mismatch(object[key], pattern, at: "\(place).\(key)") { return wrong }
        }
        return nil
    }
}

// The patterns that are objects with one key.
extension Bindings {
    private mutating func operatorMismatch(
        _ value: JSONValue?, _ key: String, _ operand: JSONValue, at place: String
    ) throws(ScenarioError) -> String? {
        let wrong = "\(place) is \(value?.description ?? "absent"), expected {\(key): \(operand)}"
        switch key {
        case "$above", "$below":
            let limit = try number(operand, of: key)
            guard let number = value?.number else { return wrong }
            return (key == "$above" ? number > limit : number < limit) ? nil : wrong
        case "$not":
            var attempt = self
            guard value != nil else { return wrong }
            return try attempt.mismatch(value, operand, at: place) == nil ? wrong : nil
        case "$oneOf":
            for choice in try list(operand, of: key) where try matches(value, choice) { return nil }
            return wrong
        case "$only":
            guard let patterns = operand.object else { throw ScenarioError("\(key) needs an object") }
            let more = Set(value?.object?.map(\.key) ?? []).subtracting(patterns.keys)
            guard more.isEmpty else { return "\(place) also has \(more.sorted())" }
            return try objectMismatch(value, patterns, at: place)
        case "$set":
            return try takeAll(value?.array, try list(operand, of: key)) ? nil : wrong
        case "$contains":
            if let text = value?.text, let part = operand.text { return text.contains(part) ? nil : wrong }
            for element in value?.array ?? [] where try matches(element, operand) { return nil }
            return wrong
        default:
            throw ScenarioError("'\(key)' is no pattern")
        }
    }

    private func number(_ operand: JSONValue, of key: String) throws(ScenarioError) -> Double {
        if let text = operand.text, text.hasPrefix("$") {
            guard let bound = values[String(text.dropFirst())]?.number else {
                throw ScenarioError("\(key): \(text) is bound to no number")
            }
            return bound
        }
        guard let number = operand.number else { throw ScenarioError("\(key) needs a number") }
        return number
    }

    private func list(_ operand: JSONValue, of key: String) throws(ScenarioError) -> [JSONValue] {
        guard let list = operand.array else { throw ScenarioError("\(key) needs an array") }
        return list
    }

    /// Binds names only if it matches.
    mutating func matches(_ value: JSONValue?, _ pattern: JSONValue) throws(ScenarioError) -> Bool {
        var attempt = self
        guard try attempt.mismatch(value, pattern, at: "") == nil else { return false }
        self = attempt
        return true
    }

    /// Whether each element has a pattern of its own; each takes the first one that it matches.
    mutating func takeAll(_ elements: [JSONValue]?, _ patterns: [JSONValue]) throws(ScenarioError) -> Bool {
        guard let elements, elements.count == patterns.count else { return false }
        var left = patterns
        for element in elements {
            var taken: Int?
            for (number, pattern) in left.enumerated() where try matches(element, pattern) {
                taken = number
                break
            }
            guard let taken else { return false }
            left.remove(at: taken)
        }
        return true
    }
}
