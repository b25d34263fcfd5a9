import BelfryModel

/// The comparisons of rows: the operators, and the text of a comparison's value in a field.
enum ComparisonWords {
    static let operators: [(String, String)] = [
        ("==", "is"), ("!=", "is not"), ("<", "is less than"), ("<=", "is at most"), (">", "is greater than"),
        (">=", "is at least"), ("contains", "contains"), ("startsWith", "begins with"),
        ("in", "is one of (with commas)"), ("exists", "is known"), ("absent", "is not known"),
    ]

    /// The operator and value that a row shows for a comparison; nil for a comparison that a row cannot show.
    static func shown(_ comparison: Comparison) -> (op: String, value: String)? {
        switch comparison {
        case .equal(let value): ("==", value.textRead)
        case .notEqual(let value): ("!=", value.textRead)
        case .less(let value): ("<", value.textRead)
        case .lessOrEqual(let value): ("<=", value.textRead)
        case .greater(let value): (">", value.textRead)
        case .greaterOrEqual(let value): (">=", value.textRead)
        case .contains(let text): ("contains", text)
        case .startsWith(let text): ("startsWith", text)
        case .exists(let isThere): (isThere ? "exists" : "absent", "")
        case .isIn(let values): list(values.map(\.textRead)).map { ("in", $0) }
        }
    }

    /// Joins texts with commas; nil for texts that ``entries(_:)`` could not read back.
    static func list(_ texts: [String]) -> String? {
        let comma = UInt8(ascii: ",")
        guard !texts.isEmpty, texts.allSatisfy({ !$0.utf8.contains(comma) && !$0.isEmpty && trimmed($0) == $0 }) else {
            return nil
        }
        return texts.joined(separator: ", ")
    }

    static func entries(_ text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: ",")).map { trimmed(String(decoding: $0, as: UTF8.self)) }
            .filter { !$0.isEmpty }
    }

    private static func trimmed(_ text: String) -> String { ComposeText.trimmed(Substring(text).utf8) }

    /// The comparison that a row makes.
    ///
    /// - Parameter read: parses a text as a value of the type that is compared.
    static func comparison(
        _ op: String, _ value: String,
        _ read: (String) throws(FormProblems.Sentence) -> AttributeValue
    ) throws(FormProblems.Sentence) -> Comparison {
        switch op {
        case "exists": return .exists(true)
        case "absent": return .exists(false)
        default: break
        }
        guard !value.showsNothing else { throw FormProblems.Sentence("Enter the value to compare with.") }
        switch op {
        case "contains": return .contains(value)
        case "startsWith": return .startsWith(value)
        case "==": return .equal(try read(value))
        case "!=": return .notEqual(try read(value))
        case "<": return .less(try read(value))
        case "<=": return .lessOrEqual(try read(value))
        case ">": return .greater(try read(value))
        case ">=": return .greaterOrEqual(try read(value))
        case "in":
            var values: [AttributeValue] = []
            for entry in entries(value) { values.append(try read(entry)) }
            guard !values.isEmpty else { throw FormProblems.Sentence("Enter one value or more, separated by commas.") }
            return .isIn(values)
        default: throw FormProblems.Sentence("Choose how it is compared.")
        }
    }

    /// Parses a text as a value of an attribute of this type.
    static func value(_ text: String, _ type: AttributeType) throws(FormProblems.Sentence) -> AttributeValue {
        switch type {
        case .string, .date: return .string(text)
        case .number:
            guard let number = DecimalText.number(text) else {
                throw FormProblems.Sentence("This attribute is a number: write one such as 3 or 4.5.")
            }
            return .number(number)
        case .boolean: return .boolean(try flag(text))
        }
    }

    static func flag(_ text: String) throws(FormProblems.Sentence) -> Bool {
        switch text.lowercased() {
        case "true", "yes": return true
        case "false", "no": return false
        default: throw FormProblems.Sentence("This is yes or no: write true or false.")
        }
    }

    /// Parses a text as a value of unknown type, such as an event's attribute. A text that is a number becomes a
    /// number.
    static func untyped(_ text: String) -> AttributeValue {
        if let number = DecimalText.number(text) { return .number(number) }
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        default: return .string(text)
        }
    }
}
