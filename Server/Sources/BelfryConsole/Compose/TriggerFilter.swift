import BelfryModel
import BelfryServerModel

/// The form fields for conditions on the event that triggers an in-app message: rows over the event's attributes and
/// the device's properties, or the JSON of a predicate (IAM-5).
extension InAppParts {
    static let filterRows = FormRows(
        names: ["filterName", "filterOp", "filterValue"], decisive: ["filterName", "filterValue"], maximum: 10
    )

    static let filter = ComposePart(
        filterRows.names + ["filterMatch", "filterJSON"],
        show: { draft, _ in
            guard let filter = draft.inApp?.trigger?.filter else {
                return ["filterMatch": ["all"], "filterJSON": [""]]
            }
            guard let shown = rows(of: filter) else {
                return ["filterMatch": ["all"], "filterJSON": [ComposeText.json(filter)]]
            }
            var values = filterRows.values(shown.rows)
            values["filterMatch"] = [shown.needsAll ? "all" : "any"]
            values["filterJSON"] = [""]
            return values
        },
        write: { fields, draft, _, problems in
            let filter = read(fields, over: draft.inApp?.trigger?.filter, &problems)
            if filter != nil, draft.inApp?.trigger == nil {
                let isInPage = draft.inApp?.type == .inline
                problems.add(
                    "trigger",
                    isInPage
                        ? "No event makes a message inside a page appear. Empty the conditions below."
                        : "Name the event that the conditions below are about, or empty them."
                )
            }
            draft.inApp?.trigger?.filter = filter
        },
        place: { name, fields in
            let prefix = "inApp.trigger.where"
            guard name.isAPIName(prefix) || name.isAPIName("inApp.trigger") else { return nil }
            guard name.isAPIName(prefix) else { return "trigger" }
            guard fields["filterJSON"].showsNothing else { return "filterJSON" }
            let index =
                FormRows.index(in: name, after: "\(prefix).all") ?? FormRows.index(in: name, after: "\(prefix).any")
            return filterRows.field("filterName", index: index?.index ?? 0, fields)
        },
        isSame: { one, other in
            filterRows.isSame(one, other) && one["filterMatch"] == other["filterMatch"]
                && ComposePart.read(one["filterJSON"], "filterJSON")
                    .isExactly(ComposePart.read(other["filterJSON"], "filterJSON"))
        }
    ).merged(
        .described(at: "filterMatch") { draft in
            (draft.inApp?.trigger?.filter).map { "Events \(ConditionWords.ofEvent($0))." } ?? ""
        }
    )

    private static func rows(of filter: Condition) -> (rows: [[String: String]], needsAll: Bool)? {
        let (parts, needsAll): ([Condition], Bool) =
            switch filter {
            case .all(let parts): (parts, true)
            case .any(let parts): (parts, false)
            default: ([filter], true)
            }
        let rows = parts.compactMap(row)
        return rows.count == parts.count && !rows.isEmpty && rows.count <= filterRows.maximum ? (rows, needsAll) : nil
    }

    private static func row(_ condition: Condition) -> [String: String]? {
        let (name, comparison): (String, Comparison)
        switch condition {
        case .attribute(let attribute, let compared): (name, comparison) = (attribute, compared)
        case .device(let property, let compared): (name, comparison) = ("device.\(property.rawValue)", compared)
        default: return nil
        }
        guard let shown = ComparisonWords.shown(comparison), !name.isEmpty else { return nil }
        return ["filterName": name, "filterOp": shown.op, "filterValue": shown.value]
    }

    private static func read(
        _ fields: FormFields, over base: Condition?, _ problems: inout FormProblems
    ) -> Condition? {
        let json = fields["filterJSON"]
        guard json.showsNothing else {
            let shown = base.flatMap { rows(of: $0)?.rows.map(filterRows.sent) } ?? []
            for row in filterRows.used(fields) where !shown.contains(where: { $0.isExactly(row.values) }) {
                problems.add(
                    "filterName.\(row.place)", "The conditions as JSON replace this row. Empty one of the two."
                )
            }
            if let filter = try? CheckedJSON.decode(Condition.self, from: json.utf8) { return filter }
            problems.add(
                "filterJSON",
                "This is no predicate. Write one such as {\"attribute\":\"price\",\"op\":\">\",\"value\":10}.")
            return nil
        }
        var parts: [Condition] = []
        for row in filterRows.used(fields) {
            do throws(FormProblems.Sentence) {
                parts.append(try condition(row, over: base))
            } catch {
                problems.add("filterName.\(row.place)", error.text)
            }
        }
        if parts.count < 2 { return parts.first }
        return fields["filterMatch"] == "any" ? .any(parts) : .all(parts)
    }

    private static func condition(
        _ typed: FormRows.Row, over base: Condition?
    ) throws(FormProblems.Sentence) -> Condition {
        let known: [Condition] =
            switch base {
            case .all(let parts)?, .any(let parts)?: parts
            case let filter?: [filter]
            case nil: []
            }
        let same = known.first { row($0).map(filterRows.sent)?.isExactly(typed.values) ?? false }
        if let same { return same }
        guard !typed["filterName"].showsNothing else {
            throw FormProblems.Sentence("Write which attribute of the event is compared, such as price.")
        }
        let comparison = try ComparisonWords.comparison(typed["filterOp"], typed["filterValue"]) {
            text throws(FormProblems.Sentence) in
            ComparisonWords.untyped(text)
        }
        let prefix = "device."
        if typed["filterName"].utf8.starts(with: prefix.utf8),
            let property = DeviceProperty(
                rawValue: String(decoding: typed["filterName"].utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
            )
        {
            return .device(property, comparison)
        }
        return .attribute(typed["filterName"], comparison)
    }
}
