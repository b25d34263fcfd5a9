import BelfryModel
import BelfryServerModel
import Foundation

/// An audience as a form has it: everyone, some clauses joined by all or any, or the JSON of a predicate.
struct AudienceForm: Hashable, Sendable {
    enum Mode: String, Sendable {
        case everyone
        case clauses
        case json
    }

    /// One row: what is asked, how it is compared, with what.
    struct Clause: Hashable, Sendable {
        /// `tag`, `attribute:NAME`, `device:PROPERTY`; empty: the row is not used.
        var subject: String
        var op: String
        var value: String

        var isUsed: Bool { !subject.isEmpty }
    }

    static let maximumClauses = 12
    static let operators: [(value: String, words: String)] = [
        ("==", "is"), ("!=", "is not"), ("<", "is less than"), ("<=", "is at most"), (">", "is greater than"),
        (">=", "is at least"), ("contains", "contains"), ("startsWith", "begins with"), ("exists", "is known"),
        ("absent", "is not known"),
    ]

    var mode: Mode
    /// Whether all clauses are to hold; otherwise one is enough.
    var needsAll: Bool
    var clauses: [Clause]
    var json: String

    init(_ fields: FormFields) {
        mode = Mode(rawValue: fields["audience"]) ?? .everyone
        needsAll = fields["match"] != "any"
        let (subjects, ops, values) = (fields.all("subject"), fields.all("op"), fields.all("value"))
        clauses = subjects.indices.prefix(Self.maximumClauses).map { index in
            Clause(
                subject: subjects[index], op: index < ops.count ? ops[index] : "==",
                value: index < values.count ? values[index] : ""
            )
        }
        json = fields["predicate"]
    }

    /// What a draft has. What rows cannot show is shown as JSON.
    init(_ audience: Condition) {
        (mode, needsAll, clauses, json) = (.everyone, true, [], "")
        guard audience != .everyone else { return }
        let (parts, all): ([Condition], Bool) =
            switch audience {
            case .all(let parts): (parts, true)
            case .any(let parts): (parts, false)
            default: ([audience], true)
            }
        let rows = parts.compactMap { Clause($0) }
        if rows.count == parts.count, rows.count <= Self.maximumClauses {
            (mode, needsAll, clauses) = (.clauses, all, rows)
        } else {
            (mode, json) = (.json, Self.text(audience))
        }
    }

    /// The predicate, or at which field what is wrong.
    func condition(schema: [String: AttributeType]) throws(ComposeProblems) -> Condition {
        switch mode {
        case .everyone: return .everyone
        case .json: return try predicate()
        case .clauses: break
        }
        var (parts, problems): ([Condition], ComposeProblems) = ([], ComposeProblems())
        for (index, clause) in clauses.enumerated() where clause.isUsed {
            do throws(ComposeProblems.Sentence) {
                parts.append(try clause.condition(schema: schema))
            } catch {
                problems.add("clause\(index)", error.text)
            }
        }
        if parts.isEmpty, problems.isEmpty {
            problems.add("audience", "Fill in at least one row, or choose everyone.")
        }
        try problems.refuse()
        if parts.count == 1 { return parts[0] }
        return needsAll ? .all(parts) : .any(parts)
    }

    private func predicate() throws(ComposeProblems) -> Condition {
        do {
            return try CheckedJSON.decode(Condition.self, from: Data(json.utf8))
        } catch let DecodingError.dataCorrupted(context) {
            throw ComposeProblems("predicate", "This is no predicate: \(context.debugDescription).")
        } catch let DecodingError.keyNotFound(key, _) {
            throw ComposeProblems("predicate", "This is no predicate: '\(key.stringValue)' is missing.")
        } catch {
            throw ComposeProblems(
                "predicate", "This is no predicate. Write one such as {\"tag\":\"sports\"}, or use the rows above."
            )
        }
    }

    private static func text(_ audience: Condition) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(audience)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

extension AudienceForm.Clause {
    /// Nil for what a row cannot show.
    fileprivate init?(_ condition: Condition) {
        switch condition {
        case .tag(let tag): self.init(subject: "tag", op: "==", value: tag)
        case .not(.tag(let tag)): self.init(subject: "tag", op: "!=", value: tag)
        case .attribute(let name, let comparison): self.init("attribute:\(name)", comparison)
        case .device(let property, let comparison): self.init("device:\(property.rawValue)", comparison)
        default: return nil
        }
    }

    private init?(_ subject: String, _ comparison: Comparison) {
        switch comparison {
        case .equal(let value): self.init(subject: subject, op: "==", value: value.textRead)
        case .notEqual(let value): self.init(subject: subject, op: "!=", value: value.textRead)
        case .less(let value): self.init(subject: subject, op: "<", value: value.textRead)
        case .lessOrEqual(let value): self.init(subject: subject, op: "<=", value: value.textRead)
        case .greater(let value): self.init(subject: subject, op: ">", value: value.textRead)
        case .greaterOrEqual(let value): self.init(subject: subject, op: ">=", value: value.textRead)
        case .contains(let text): self.init(subject: subject, op: "contains", value: text)
        case .startsWith(let text): self.init(subject: subject, op: "startsWith", value: text)
        case .exists(let isThere): self.init(subject: subject, op: isThere ? "exists" : "absent", value: "")
        case .isIn: return nil
        }
    }

    fileprivate func condition(schema: [String: AttributeType]) throws(ComposeProblems.Sentence) -> Condition {
        if subject == "tag" {
            guard !value.showsNothing else { throw ComposeProblems.Sentence("Say which tag.") }
            switch op {
            case "==": return .tag(value)
            case "!=": return .not(.tag(value))
            default: throw ComposeProblems.Sentence("A tag is there or not: choose 'is' or 'is not'.")
            }
        }
        let parts = subject.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1).map { String(Substring($0)) }
        guard parts.count == 2 else { throw ComposeProblems.Sentence("Choose what this row asks for.") }
        if parts[0] == "device", let property = DeviceProperty(rawValue: parts[1]) {
            return .device(property, try comparison(.string))
        }
        guard parts[0] == "attribute", let type = schema[parts[1]] else {
            throw ComposeProblems.Sentence("This app has no such attribute any more. Choose another one.")
        }
        return .attribute(parts[1], try comparison(type))
    }

    private func comparison(_ type: AttributeType) throws(ComposeProblems.Sentence) -> Comparison {
        switch op {
        case "exists": return .exists(true)
        case "absent": return .exists(false)
        default: break
        }
        guard !value.showsNothing else { throw ComposeProblems.Sentence("Say what it is compared with.") }
        switch op {
        case "contains": return .contains(value)
        case "startsWith": return .startsWith(value)
        case "==": return .equal(try read(type))
        case "!=": return .notEqual(try read(type))
        case "<": return .less(try read(type))
        case "<=": return .lessOrEqual(try read(type))
        case ">": return .greater(try read(type))
        case ">=": return .greaterOrEqual(try read(type))
        default: throw ComposeProblems.Sentence("Choose how it is compared.")
        }
    }

    private func read(_ type: AttributeType) throws(ComposeProblems.Sentence) -> AttributeValue {
        switch type {
        case .string, .date: return .string(value)
        case .number:
            guard let number = DecimalText.number(value) else {
                throw ComposeProblems.Sentence("This attribute is a number: write one such as 3 or 4.5.")
            }
            return .number(number)
        case .boolean:
            switch value.lowercased() {
            case "true", "yes": return .boolean(true)
            case "false", "no": return .boolean(false)
            default: throw ComposeProblems.Sentence("This attribute is yes or no: write true or false.")
            }
        }
    }
}
