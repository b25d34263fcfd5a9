import BelfryModel

/// The meaning of a predicate, said once more and in memory: what the SQL is compared with.
struct ReferenceAudience {
    let schema: [String: AttributeType]

    func contains(_ person: Person, _ condition: Condition) -> Bool {
        switch condition {
        case .everyone: true
        case .all(let parts): parts.allSatisfy { contains(person, $0) }
        case .any(let parts): parts.contains { contains(person, $0) }
        case .not(let part): !contains(person, part)
        case .attribute(let name, let comparison):
            holds(comparison, person.attributes?[name], isDate: schema[name] == .date)
        case .device(.platform, let comparison): holds(comparison, person.system.platform.map(AttributeValue.string))
        case .device(.osVersion, let comparison): holds(comparison, person.system.osVersion.map(AttributeValue.string))
        case .device: false
        case .tag(let tag): person.attributes != nil && person.tags.contains(tag)
        case .contactKeys(let keys): person.attributes != nil && keys.contains(person.name)
        case .deviceIDs: false
        case .known(let known): (person.attributes != nil && person.known) == known
        }
    }

    private func holds(_ comparison: Comparison, _ value: AttributeValue?, isDate: Bool = false) -> Bool {
        guard let value else { return comparison == .exists(false) }
        let text = Self.text(value)
        switch comparison {
        case .equal(let other): return order(value, other, isDate) == 0
        case .notEqual(let other): return order(value, other, isDate) != 0
        case .less(let other): return order(value, other, isDate) < 0
        case .lessOrEqual(let other): return order(value, other, isDate) <= 0
        case .greater(let other): return order(value, other, isDate) > 0
        case .greaterOrEqual(let other): return order(value, other, isDate) >= 0
        case .isIn(let others): return others.contains { order(value, $0, isDate) == 0 }
        case .contains(let part): return part.isEmpty || text.contains(part)
        case .startsWith(let part): return text.hasPrefix(part)
        case .exists(let flag): return flag
        }
    }

    private func order(_ left: AttributeValue, _ right: AttributeValue, _ isDate: Bool) -> Int {
        if isDate {
            let dates = [left, right].compactMap(AttributeType.date.admit).map(Self.text)
            return dates.count == 2 ? Self.sign(dates[0], dates[1]) : 0
        }
        if let left = Self.number(left), let right = Self.number(right) { return Self.sign(left, right) }
        return Self.sign(Array(Self.text(left).utf8), Array(Self.text(right).utf8))
    }

    private static func sign<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left == right ? 0 : left < right ? -1 : 1
    }

    private static func sign(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    private static func number(_ value: AttributeValue) -> Double? {
        switch value {
        case .number(let number): number
        case .string(let text):
            text.wholeMatch(of: /[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?/) == nil ? nil : Double(text)
        case .boolean, .date: nil
        }
    }

    private static func text(_ value: AttributeValue) -> String {
        switch value {
        case .string(let text): text
        case .number(let number): number == number.rounded() ? String(Int64(number)) : String(number)
        case .boolean(let flag): flag ? "true" : "false"
        case .date(let date): Timestamp.text(date)
        }
    }
}
