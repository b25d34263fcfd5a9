import BelfryModel
import Foundation

/// How often somebody did something, as SQL.
///
/// The history is the person's: what all devices of the contact sent under it, those that have left it included. A
/// device without a contact has its own. Events lie device by device, so each person costs a look at their own; engines
/// ask for it last, of those whom the rest of the predicate leaves.
struct EventClauseSQL {
    let columns: AudienceColumns
    let dialect: any Dialect
    let now: Date

    func compile(_ clause: EventClause) -> SQLFragment {
        var conditions = ["e.name = \(bind: .text(clause.eventName))" as SQLFragment]
        if let within = clause.within {
            conditions.append("e.at >= \(bind: .date(now.addingTimeInterval(-within.seconds)))")
        }
        if let filter = clause.filter { conditions.append(fragment(filter)) }
        let condition = SQLFragment.joined(conditions, by: "AND")
        return """
            (SELECT count(*) FROM (SELECT 1 FROM events e WHERE e.device_id IN (
                SELECT a.device_id
                UNION ALL SELECT p.device_id FROM \(columns.table) p WHERE p.contact_id = a.contact_id
                UNION ALL SELECT f.device_id FROM former_devices f WHERE f.app_id = \(bind: .integer(columns.app))
                    AND f.contact_id = a.contact_id)
            AND e.contact_id IS NOT DISTINCT FROM a.contact_id AND \(condition)
            LIMIT \(bind: .integer(clause.count.enough))) n) \(clause.count.op.sql) \(bind: .integer(clause.count.value))
            """
    }

    /// A predicate over the event's attributes; nothing else can be asked of an event.
    private func fragment(_ filter: Condition) -> SQLFragment {
        switch filter {
        case .everyone, .all([]):
            return .everybody
        case .any([]):
            return .nobody
        case .all(let parts):
            return .joined(parts.map { fragment($0) }, by: "AND")
        case .any(let parts):
            return .joined(parts.map { fragment($0) }, by: "OR")
        case .not(let part):
            return fragment(part).negated
        case .attribute(let name, let comparison):
            let text = dialect.jsonText("e.attributes", key: name)
            let own = dialect.jsonNumber("e.attributes", key: name)
            let number: SQLFragment = "coalesce(\(own), \(dialect.number(readFrom: text)))"
            return ComparisonSQL(text: text, number: number, dialect: dialect).compile(ofEvent: comparison)
        case .device, .deviceFact, .tag, .contactKeys, .deviceIDs, .known, .event:
            return .nobody
        }
    }
}

extension EventCount.Operator {
    fileprivate var sql: SQLText {
        switch self {
        case .equal: "="
        case .notEqual: "<>"
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}
