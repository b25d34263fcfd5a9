import BelfryModel
import BelfryServerModel
import Foundation

/// An audience in a form: everyone, rows joined by all or any, with groups among them, or the JSON of a predicate.
struct AudienceForm: Hashable, Sendable {
    enum Mode: String, Sendable {
        case everyone
        case clauses
        case json
    }

    /// A row and its place in the form.
    struct Placed: Hashable, Sendable {
        let place: Int
        let row: AudienceRow
    }

    static let rows = FormRows(
        names: AudienceRow.names, decisive: ["subject", "value", "times", "days", "whereName", "whereValue"],
        maximum: AudienceRows.maximum
    )

    var mode: Mode
    /// Whether all rows must match; otherwise one is enough.
    var needsAll: Bool
    /// For each group, whether all of its rows must match.
    var groupNeedsAll: [String: Bool]
    /// The rows that are used.
    var clauses: [Placed]
    var json: String

    init(_ fields: FormFields) {
        mode = Mode(rawValue: fields["audience"]) ?? .everyone
        needsAll = fields["match"] != "any"
        groupNeedsAll = [:]
        clauses = Self.rows.used(fields).map { Placed(place: $0.place, row: AudienceRow($0)) }
        json = ComposePart.read(fields["predicate"], "predicate")
        for group in AudienceRows.groups { groupNeedsAll[group] = fields["match\(group)"] == "all" }
    }

    /// Shows the audience of a draft. One that rows cannot show is shown as JSON.
    init(_ audience: Condition) {
        (mode, needsAll, groupNeedsAll, clauses, json) = (.everyone, true, [:], [], "")
        guard audience != .everyone else { return }
        if let shown = AudienceRows(audience) {
            (mode, needsAll, groupNeedsAll) = (.clauses, shown.needsAll, shown.groupNeedsAll)
            clauses = shown.rows.enumerated().map { Placed(place: $0, row: $1.row) }
        } else {
            (mode, json) = (.json, ComposeText.json(audience))
        }
    }

    var values: ComposePart.Values {
        var values = Self.rows.values(clauses.map(\.row.values))
        values["audience"] = [mode.rawValue]
        values["match"] = [needsAll ? "all" : "any"]
        for group in AudienceRows.groups { values["match\(group)"] = [groupNeedsAll[group] == true ? "all" : "any"] }
        values["predicate"] = [json]
        return values
    }

    /// The predicate of the form.
    ///
    /// - Parameter base: the predicate that the form began from. Rows that were not changed keep their condition from
    ///   it.
    /// - Throws: what is wrong, by field.
    func condition(
        schema: [String: AttributeType], over base: Condition = .everyone
    ) throws(FormProblems) -> Condition {
        switch mode {
        case .everyone: return .everyone
        case .json: return try predicate()
        case .clauses: return try joined(schema: schema, over: base)
        }
    }

    private func joined(schema: [String: AttributeType], over base: Condition) throws(FormProblems) -> Condition {
        let known = AudienceRows(base)?.conditions ?? [:]
        var problems = FormProblems()
        var parts: [AudienceRows.Part] = []
        for clause in clauses {
            do throws(FormProblems.Sentence) {
                let condition: Condition
                if let same = known[clause.row.bare] {
                    condition = same
                } else {
                    condition = try clause.row.condition(schema: schema)
                }
                AudienceRows.add(condition, group: clause.row.group, to: &parts)
            } catch {
                problems.add("clause.\(clause.place)", error.text)
            }
        }
        if parts.isEmpty, problems.isEmpty {
            problems.add("audience", "Fill in at least one row, or choose everyone.")
        }
        try problems.reject()
        let conditions = parts.map { $0.condition(groupNeedsAll) }
        if conditions.count == 1 { return conditions[0] }
        return needsAll ? .all(conditions) : .any(conditions)
    }

    private func predicate() throws(FormProblems) -> Condition {
        do {
            return try CheckedJSON.decode(Condition.self, from: Data(json.utf8))
        } catch let DecodingError.dataCorrupted(context) {
            throw FormProblems("predicate", "This is no predicate: \(context.debugDescription).")
        } catch let DecodingError.keyNotFound(key, _) {
            throw FormProblems("predicate", "This is no predicate: '\(key.stringValue)' is missing.")
        } catch {
            throw FormProblems(
                "predicate", "This is no predicate. Write one such as {\"tag\":\"sports\"}, or use the rows above."
            )
        }
    }

    /// Errors for input that the chosen mode ignores, with what to do about it. Otherwise a campaign could go to more
    /// people than its author meant, and a push cannot be called back.
    ///
    /// - Parameter shown: the form as it was opened. Its input may stay when another mode is chosen.
    func overlooked(beside shown: AudienceForm) -> FormProblems {
        var problems = FormProblems()
        if mode != .clauses {
            let known = Set(shown.clauses.map(\.row.bare))
            for clause in clauses where !known.contains(clause.row.bare) {
                problems.add(
                    "clause.\(clause.place)",
                    "You typed a condition. Choose 'By the conditions below' above, or empty this row."
                )
            }
        }
        if mode != .json, ComposePart.isTyped(json, "predicate", over: shown.json) {
            problems.add(
                "predicate", "You typed a predicate. Choose 'By a predicate (JSON)' above, or empty this field."
            )
        }
        return problems
    }

    /// The form's field for an API name such as `audience.all[2].any[0].value`: the row at that place.
    func field(of name: String) -> String? {
        guard name.isAPIName("audience") else { return nil }
        guard mode == .clauses else { return mode == .json ? "predicate" : "audience" }
        var parts: [(group: String, places: [Int])] = []
        for clause in clauses {
            if !clause.row.group.isEmpty, let index = parts.firstIndex(where: { $0.group == clause.row.group }) {
                parts[index].places.append(clause.place)
            } else {
                parts.append((clause.row.group, [clause.place]))
            }
        }
        var path = Self.indices(name)[...]
        // A single part has no index in the API name.
        let index = parts.count == 1 ? 0 : path.popFirst() ?? 0
        guard parts.indices.contains(index) else { return "audience" }
        let places = parts[index].places
        let inner = parts[index].group.isEmpty ? 0 : path.popFirst() ?? 0
        return "clause.\(places.indices.contains(inner) ? places[inner] : places[0])"
    }

    /// The numbers in `audience.all[2].any[0].value`.
    private static func indices(_ name: String) -> [Int] {
        name.utf8.split(separator: UInt8(ascii: "[")).dropFirst().compactMap { part in
            WholeNumber.read(String(decoding: part.prefix { $0 != UInt8(ascii: "]") }, as: UTF8.self))
        }
    }
}

extension AudienceForm {
    /// The form fields of a draft's audience.
    static let part = ComposePart(
        rows.names + ["audience", "match", "matchA", "matchB", "matchC", "predicate"],
        show: { draft, _ in AudienceForm(draft.audience).values },
        write: { fields, draft, basis, problems in
            let form = AudienceForm(fields)
            problems.add(form.overlooked(beside: AudienceForm(draft.audience)))
            do throws(FormProblems) {
                draft.audience = try form.condition(schema: basis.schema, over: draft.audience)
            } catch {
                problems.add(error)
            }
        },
        place: { name, fields in AudienceForm(fields).field(of: name) },
        isSame: { typed, shown in
            let (form, before) = (AudienceForm(typed), AudienceForm(shown))
            guard form.asked.elementsEqual(before.asked, by: { $0.isExactly($1) }) else { return false }
            return form.overlooked(beside: before).isEmpty
        }
    ).merged(.described(at: "audience") { ConditionWords.sentence($0.audience) })

    /// The values that decide the audience, whatever places its rows have. The fields of other modes are left out.
    private var asked: [String] {
        switch mode {
        case .everyone: return [mode.rawValue]
        case .json: return [mode.rawValue, json]
        case .clauses:
            let used = Set(clauses.map(\.row.group))
            let groups = AudienceRows.groups.filter(used.contains)
            let needs = ([needsAll] + groups.map { groupNeedsAll[$0] ?? false }).map { $0 ? "all" : "any" }
            let texts = clauses.flatMap { $0.row.texts }
            return [mode.rawValue] + needs + texts
        }
    }
}

extension AudienceRow {
    /// The values of the row's fields, in the order of ``names``.
    fileprivate var texts: [String] {
        let values = values
        return Self.names.map { values[$0] ?? "" }
    }

    /// The bytes of the row's fields as a browser sends them back, without its group. Rows with equal bytes ask the
    /// same.
    var bare: [[UInt8]] {
        var row = AudienceRow(FormRows.Row(place: 0, values: AudienceForm.rows.sent(values)))
        row.group = ""
        return row.texts.map { Array($0.utf8) }
    }
}
