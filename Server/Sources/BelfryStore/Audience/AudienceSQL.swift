import BelfryModel
import Foundation

/// Compiles a predicate to a condition over `devices d` joined with `contacts c` (CAMP-3).
///
/// A missing value makes every comparison false, so every comparison is coalesced to false and `not` is exact.
package struct AudienceSQL {
    let schema: [String: AttributeType]
    let dialect: any Dialect

    package init(schema: [String: AttributeType], dialect: any Dialect) {
        self.schema = schema
        self.dialect = dialect
    }

    /// Throws a refusal that names an attribute the app has not defined, or a value of the wrong type.
    package func compile(_ predicate: Condition) throws(Refusal) -> SQLFragment {
        try predicate.checkLimits()
        return try fragment(predicate)
    }

    private func fragment(_ predicate: Condition) throws(Refusal) -> SQLFragment {
        switch predicate {
        case .everyone, .all([]):
            return SQLFragment("1 = 1")
        case .any([]):
            return SQLFragment("1 = 0")
        case .all(let parts):
            return .joined(try fragments(parts), by: "AND")
        case .any(let parts):
            return .joined(try fragments(parts), by: "OR")
        case .not(let part):
            let inner = try fragment(part)
            return SQLFragment("NOT (\(inner.sql))", inner.arguments)
        case .attribute(let name, let comparison):
            // The name in the spelling that the schema has, which is the one in the contacts.
            guard let index = schema.index(forKey: name) else { throw undefined(name) }
            return try compile(comparison, of: .attribute(schema[index].key, schema[index].value))
        case .device(let property, let comparison):
            return try compile(comparison, of: .column("d.\(property.column)"))
        case .tag(let tag):
            return SQLFragment(
                "EXISTS (SELECT 1 FROM contact_tags t WHERE t.contact_id = d.contact_id AND t.tag = ?)",
                // In the spelling that is stored.
                [.text(tag.precomposedStringWithCanonicalMapping)]
            )
        case .contactKeys(let keys):
            return membership("c.contact_key", keys.map { .text($0.precomposedStringWithCanonicalMapping) })
        case .deviceIDs(let ids):
            return membership("lower(d.client_id)", ids.map { .text($0.lowercased()) })
        case .known(let known):
            return SQLFragment("coalesce(c.known, 0) = ?", [.flag(known)])
        }
    }

    private func fragments(_ parts: [Condition]) throws(Refusal) -> [SQLFragment] {
        var fragments: [SQLFragment] = []
        for part in parts {
            fragments.append(try fragment(part))
        }
        return fragments
    }

    /// What a comparison is about: an attribute in the contact's JSON or a column of text.
    private enum Subject {
        case attribute(String, AttributeType)
        case column(String)
    }

    private func compile(_ comparison: Comparison, of subject: Subject) throws(Refusal) -> SQLFragment {
        let text = self.text(of: subject)
        switch comparison {
        case .equal(let value): return try compare(subject, "=", value)
        case .notEqual(let value): return try compare(subject, "<>", value)
        case .less(let value): return try compare(subject, "<", value)
        case .lessOrEqual(let value): return try compare(subject, "<=", value)
        case .greater(let value): return try compare(subject, ">", value)
        case .greaterOrEqual(let value): return try compare(subject, ">=", value)
        case .isIn(let values): return try compare(subject, isIn: values)
        case .contains(let part):
            // Not LIKE, whose idea of upper and lower case differs from engine to engine.
            guard !part.isEmpty else { return exists(text, true) }
            return falseWhenMissing("replace(\(text), ?, '') <> \(text)", [.text(part)])
        case .startsWith(let part):
            let length = part.unicodeScalars.count
            return falseWhenMissing("substr(\(text), 1, \(length)) = ?", [.text(part)])
        case .exists(let flag): return exists(text, flag)
        }
    }

    private func compare(_ subject: Subject, _ op: String, _ value: AttributeValue) throws(Refusal) -> SQLFragment {
        let text = self.text(of: subject)
        if case .attribute(let name, .date) = subject {
            return falseWhenMissing("\(text) \(op) ?", [try dateText(value, of: name)])
        }
        guard let number = value.numberRead else {
            return falseWhenMissing("\(text) \(op) ?", [.text(value.textRead)])
        }
        // A subject that is no number makes the first null, and the texts are compared.
        return falseWhenMissing(
            "\(self.number(of: subject)) \(op) ?, \(text) \(op) ?", [.real(number), .text(value.textRead)]
        )
    }

    /// As `==` with one of the values; one list, for a chain of ten thousand comparisons is more than engines take.
    private func compare(_ subject: Subject, isIn values: [AttributeValue]) throws(Refusal) -> SQLFragment {
        guard !values.isEmpty else { return SQLFragment("1 = 0") }
        let text = self.text(of: subject)
        if case .attribute(let name, .date) = subject {
            var texts: [SQLValue] = []
            for value in values { texts.append(try dateText(value, of: name)) }
            return membership(text, texts)
        }
        let texts = membership(text, values.map { .text($0.textRead) })
        let numbers = values.compactMap(\.numberRead)
        guard !numbers.isEmpty else { return texts }
        return .joined([texts, membership(number(of: subject), numbers.map(SQLValue.real))], by: "OR")
    }

    private func dateText(_ value: AttributeValue, of name: String) throws(Refusal) -> SQLValue {
        guard case .date(let date)? = AttributeType.date.admit(value) else {
            throw Refusal(
                code: "invalidValue",
                message: "'\(name)' is a date; compare it with an ISO 8601 date such as 2026-11-21T12:00:00Z."
            )
        }
        // Dates are stored in one format of fixed width, so their order is that of their texts.
        return .text(Timestamp.text(date))
    }

    /// The subject as a number; null when it neither is one nor reads as one.
    private func number(of subject: Subject) -> String {
        let text = self.text(of: subject)
        let read = "CASE WHEN \(dialect.readsAsNumber(text)) THEN CAST(\(text) AS DOUBLE PRECISION) END"
        switch subject {
        case .attribute(let name, _): return "coalesce(\(dialect.jsonNumber("c.attributes", key: name)), \(read))"
        case .column: return "(\(read))"
        }
    }

    private func text(of subject: Subject) -> String {
        switch subject {
        case .attribute(let name, _): dialect.jsonText("c.attributes", key: name)
        case .column(let column): column
        }
    }

    private func falseWhenMissing(_ sql: String, _ arguments: [SQLValue]) -> SQLFragment {
        SQLFragment("coalesce(\(sql), FALSE)", arguments)
    }

    private func exists(_ text: String, _ flag: Bool) -> SQLFragment {
        SQLFragment("(\(text)) IS \(flag ? "NOT NULL" : "NULL")")
    }

    private func membership(_ expression: String, _ values: [SQLValue]) -> SQLFragment {
        guard !values.isEmpty else { return SQLFragment("1 = 0") }
        let marks = repeatElement("?", count: values.count).joined(separator: ", ")
        return falseWhenMissing("\(expression) IN (\(marks))", values)
    }

    private func undefined(_ name: String) -> Refusal {
        let known = schema.keys.sorted().joined(separator: ", ")
        return Refusal(
            code: "undefinedAttribute",
            message: "The app has no attribute '\(name)'. Defined: \(known.isEmpty ? "none" : known)."
        )
    }
}

extension DeviceProperty {
    var column: String {
        switch self {
        case .platform: "platform"
        case .osVersion: "os_version"
        case .appVersion: "app_version"
        case .sdkVersion: "sdk_version"
        case .deviceModel: "device_model"
        case .locale: "locale"
        case .timeZone: "time_zone"
        }
    }
}
