import BelfryModel

/// A predicate as rows: joined by all or any, with groups one level deep.
struct AudienceRows {
    static let maximum = 20
    static let groups = ["A", "B", "C"]

    /// A row outside all groups, or a group of rows.
    struct Part {
        let group: String
        var conditions: [Condition]

        func condition(_ needsAll: [String: Bool]) -> Condition {
            if group.isEmpty { return conditions[0] }
            return needsAll[group] == true ? .all(conditions) : .any(conditions)
        }
    }

    let needsAll: Bool
    private(set) var groupNeedsAll: [String: Bool] = [:]
    private(set) var rows: [(row: AudienceRow, condition: Condition)] = []

    /// Returns nil for an audience that rows cannot show.
    init?(_ audience: Condition) {
        guard audience != .everyone else { return nil }
        let joined = Self.joined(audience) ?? (parts: [audience], needsAll: true)
        needsAll = joined.needsAll
        for part in joined.parts {
            if let row = AudienceRow(part) {
                rows.append((row, part))
            } else {
                guard add(group: part) else { return nil }
            }
        }
        guard !rows.isEmpty, rows.count <= Self.maximum else { return nil }
    }

    private mutating func add(group: Condition) -> Bool {
        guard let (parts, needsAll) = Self.joined(group), !parts.isEmpty,
            groupNeedsAll.count < Self.groups.count
        else { return false }
        let name = Self.groups[groupNeedsAll.count]
        groupNeedsAll[name] = needsAll
        for part in parts {
            guard var row = AudienceRow(part) else { return false }
            row.group = name
            rows.append((row, part))
        }
        return true
    }

    /// The parts of an `all` or `any` condition, and whether all parts must match; nil for any other condition.
    private static func joined(_ condition: Condition) -> (parts: [Condition], needsAll: Bool)? {
        switch condition {
        case .all(let parts): (parts, true)
        case .any(let parts): (parts, false)
        default: nil
        }
    }

    /// The condition of each row, by the bytes of its fields without the group.
    var conditions: [[[UInt8]]: Condition] {
        Dictionary(rows.map { ($0.row.bare, $0.condition) }) { first, _ in first }
    }

    /// Adds a row, to its group if the group exists already.
    static func add(_ condition: Condition, group: String, to parts: inout [Part]) {
        if !group.isEmpty, let index = parts.firstIndex(where: { $0.group == group }) {
            parts[index].conditions.append(condition)
        } else {
            parts.append(Part(group: group, conditions: [condition]))
        }
    }
}
