import BelfryModel

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
        switch predicate {
        case .everyone:
            return SQLFragment("1 = 1")
        case .all(let parts):
            return .joined(try compile(parts), by: "AND")
        case .any(let parts):
            return .joined(try compile(parts), by: "OR")
        case .not(let part):
            let inner = try compile(part)
            return SQLFragment("NOT (\(inner.sql))", inner.arguments)
        case .attribute(let name, let comparison):
            guard let type = schema[name] else { throw undefined(name) }
            return try compile(comparison, of: .attribute(name, type))
        case .device(let property, let comparison):
            return try compile(comparison, of: .column("d.\(property.column)"))
        case .tag(let tag):
            return SQLFragment(
                "EXISTS (SELECT 1 FROM contact_tags t WHERE t.contact_id = d.contact_id AND t.tag = ?)", [.text(tag)]
            )
        case .contactKeys(let keys):
            return membership("c.contact_key", keys)
        case .deviceIDs(let ids):
            return membership("d.client_id", ids)
        case .known(let known):
            return SQLFragment("coalesce(c.known, 0) = ?", [.flag(known)])
        }
    }

    private func compile(_ parts: [Condition]) throws(Refusal) -> [SQLFragment] {
        var fragments: [SQLFragment] = []
        for part in parts {
            fragments.append(try compile(part))
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
        case .isIn(let values):
            var parts: [SQLFragment] = []
            for value in values { parts.append(try compare(subject, "=", value)) }
            return parts.isEmpty ? SQLFragment("1 = 0") : .joined(parts, by: "OR")
        case .contains(let part): return pattern(text, "%\(escaped(part))%")
        case .startsWith(let part): return pattern(text, "\(escaped(part))%")
        case .exists(let flag): return SQLFragment("(\(text)) IS \(flag ? "NOT NULL" : "NULL")")
        }
    }

    private func compare(_ subject: Subject, _ op: String, _ value: AttributeValue) throws(Refusal) -> SQLFragment {
        let text = self.text(of: subject)
        if case .attribute(let name, .date) = subject {
            guard case .date(let date)? = AttributeType.date.admit(value) else {
                throw Refusal(
                    code: "invalidValue",
                    message: "'\(name)' is a date; compare it with an ISO 8601 date such as 2026-11-21T12:00:00Z."
                )
            }
            // Dates are stored in one format of fixed width, so their order is that of their texts.
            return falseWhenMissing("\(text) \(op) ?", [.text(Timestamp.text(date))])
        }
        if let number = value.numberRead {
            if case .attribute(let name, .number) = subject {
                return falseWhenMissing("\(dialect.jsonNumber("c.attributes", key: name)) \(op) ?", [.real(number)])
            }
            return falseWhenMissing(
                """
                CASE WHEN \(dialect.readsAsNumber(text)) THEN CAST(\(text) AS REAL) \(op) ? ELSE \(text) \(op) ? END
                """,
                [.real(number), .text(value.textRead)]
            )
        }
        return falseWhenMissing("\(text) \(op) ?", [.text(value.textRead)])
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

    private func pattern(_ text: String, _ pattern: String) -> SQLFragment {
        falseWhenMissing("\(text) LIKE ? ESCAPE '!'", [.text(pattern)])
    }

    private func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if "!%_".contains(character) { result.append("!") }
            result.append(character)
        }
    }

    private func membership(_ column: String, _ values: [String]) -> SQLFragment {
        guard !values.isEmpty else { return SQLFragment("1 = 0") }
        let marks = repeatElement("?", count: values.count).joined(separator: ", ")
        return falseWhenMissing("\(column) IN (\(marks))", values.map(SQLValue.text))
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

extension AttributeValue {
    /// The number that this is or reads as.
    var numberRead: Double? {
        switch self {
        case .number(let number): number
        case .string(let text): Double(text)
        case .boolean, .date: nil
        }
    }

    var textRead: String {
        switch self {
        case .string(let text): text
        case .number(let number): Int64(exactly: number).map(String.init) ?? String(number)
        case .boolean(let flag): flag ? "true" : "false"
        case .date(let date): Timestamp.text(date)
        }
    }
}
