import BelfryModel
import Foundation

/// The SQL for how often a person did something.
///
/// The history belongs to the person: it has all events that the contact's devices sent under that contact, including
/// devices that have left it and devices that are dormant (FLEET-2). A device without a contact has a history of its
/// own. The history is read once for each person who matters, however many devices they have: the persons who fulfil
/// the clause are a set that does not depend on the statement's current row, so engines compute it once, and only when
/// a row needs it.
struct EventClauseSQL {
    let columns: AudienceColumns
    let dialect: any Dialect
    let now: Date

    /// A contact's number, or the negative number of a device without a contact.
    private static let person: SQLText = "coalesce(a.contact_id, -a.device_id)"
    /// The limit keeps engines from flattening a subquery, whose columns they would then compute again and again.
    private static let all: SQLText = "LIMIT \(Int64.max)"

    func compile(_ clause: EventClause, _ gate: AudienceGate) -> SQLFragment {
        guard !dialect.isDistributed else { return listed(clause, gate) }
        // With `IS TRUE` it stays an expression; otherwise an engine may turn it into a join that is evaluated for each
        // row.
        return """
            (\(Self.person) IN (
                SELECT s.person FROM (SELECT DISTINCT \(Self.person) AS person FROM \(gate.scope.source)
                    WHERE \(gate.condition)) s
                WHERE (SELECT count(*) FROM (\(events(clause)) LIMIT \(bind: .integer(clause.count.enough))) n)
                    \(clause.count.op.sql) \(bind: .integer(clause.count.value)))) IS TRUE
            """
    }

    /// The person's events that the clause counts.
    private func events(_ clause: EventClause) -> SQLFragment {
        let conditions = conditions(of: clause)
        let values = EventValues(of: clause.filter)
        let history: SQLFragment = """
            FROM events e WHERE e.device_id IN (
                SELECT -s.person WHERE s.person < 0
                UNION ALL SELECT p.device_id FROM \(columns.table) p WHERE p.contact_id = s.person
                UNION ALL SELECT z.id FROM dormant_devices z WHERE z.contact_id = s.person
                UNION ALL SELECT f.device_id FROM former_devices f WHERE f.app_id = \(bind: .integer(columns.app))
                    AND f.contact_id = s.person)
            AND e.contact_id IS NOT DISTINCT FROM CASE WHEN s.person > 0 THEN s.person END
            AND \(SQLFragment.joined(conditions, by: "AND"))
            """
        guard let filter = clause.filter else { return "SELECT 1 \(history)" }
        guard !values.names.isEmpty else { return "SELECT 1 \(history) AND (\(fragment(filter, values)))" }
        return """
            SELECT 1 FROM (SELECT \(values.columns(dialect)) \(history) \(Self.all)) v
            WHERE \(fragment(filter, values))
            """
    }

    /// The conditions of a clause that an event `e` fulfils whatever its attributes are.
    private func conditions(of clause: EventClause) -> [SQLFragment] {
        var conditions = ["e.name = \(bind: .text(clause.eventName))" as SQLFragment]
        if let within = clause.within {
            let since = SQLValue.date(now.addingTimeInterval(-within.seconds))
            conditions.append("e.at >= \(bind: since)")
            // No event happens after it was received, whatever the device's clock says. The condition is stated so that
            // an engine skips the partitions of earlier weeks (FLEET-3).
            conditions.append("e.received_at >= \(bind: since)")
        }
        return conditions
    }

    /// The same where several servers hold the database (FLEET-5): events are on other ones than contacts, so nothing is
    /// asked for each person. The persons who matter are listed, then their devices, each with the person, and then those
    /// persons whose events on these devices are as many as the clause says.
    ///
    /// Nobody without an event is in such a list. If the clause holds for them, the others are listed.
    private func listed(_ clause: EventClause, _ gate: AudienceGate) -> SQLFragment {
        let values = EventValues(of: clause.filter)
        let compared: SQLFragment = values.names.isEmpty ? "" : ", \(values.columns(dialect))"
        let filter = clause.filter.map { filter -> SQLFragment in "WHERE \(fragment(filter, values))" } ?? ""
        let holds: SQLFragment = "count(*) \(clause.count.op.sql) \(bind: .integer(clause.count.value))"
        let isOfOthers = clause.count.holdsForNone
        let having: SQLFragment = isOfOthers ? "NOT (\(holds))" : holds
        let isSo: SQLText = isOfOthers ? "NOT TRUE" : "TRUE"
        return """
            (\(Self.person) IN (
                SELECT v.person FROM (
                    SELECT coalesce(e.contact_id, -e.device_id) AS person\(compared) FROM events e
                    WHERE (e.device_id, coalesce(e.contact_id, -e.device_id)) IN (\(devices(gate)))
                        AND \(SQLFragment.joined(conditions(of: clause), by: "AND"))) v
                \(filter) GROUP BY v.person HAVING \(having)))
            IS \(isSo)
            """
    }

    /// The devices of the persons who matter, each with the person.
    private func devices(_ gate: AudienceGate) -> SQLFragment {
        let contacts: SQLFragment = "SELECT a.contact_id FROM \(gate.scope.source) WHERE \(gate.condition)"
        return """
            SELECT a.device_id, -a.device_id FROM \(gate.scope.source) WHERE \(gate.condition) AND a.contact_id IS NULL
            UNION ALL SELECT p.device_id, p.contact_id FROM \(columns.table) p WHERE p.contact_id IN (\(contacts))
            UNION ALL SELECT z.id, z.contact_id FROM dormant_devices z WHERE z.contact_id IN (\(contacts))
            UNION ALL SELECT f.device_id, f.contact_id FROM former_devices f
                WHERE f.app_id = \(bind: .integer(columns.app)) AND f.contact_id IN (\(contacts))
            """
    }

    /// A predicate over the event's attributes; events have nothing else to compare.
    private func fragment(_ filter: Condition, _ values: EventValues) -> SQLFragment {
        switch filter {
        case .everyone, .all([]):
            return .everybody
        case .any([]):
            return .nobody
        case .all(let parts):
            return .joined(parts.map { fragment($0, values) }, by: "AND")
        case .any(let parts):
            return .joined(parts.map { fragment($0, values) }, by: "OR")
        case .not(let part):
            return fragment(part, values).negated
        case .attribute(let name, let comparison):
            let (text, own) = values.expressions(of: name)
            let number: SQLFragment = "coalesce(\(own), \(dialect.number(readFrom: text)))"
            return ComparisonSQL(text: text, number: number, dialect: dialect).compile(ofEvent: comparison)
        case .device, .deviceFact, .tag, .contactKeys, .deviceIDs, .known, .event, .party:
            return .nobody
        }
    }
}

/// The attributes of events that a filter compares. Each is extracted from an event's JSON once.
private struct EventValues {
    /// The names without duplicates, by code points.
    private(set) var names: [String] = []

    init(of filter: Condition?) {
        if let filter { add(filter) }
    }

    private mutating func add(_ filter: Condition) {
        switch filter {
        case .all(let parts), .any(let parts): for part in parts { add(part) }
        case .not(let part): add(part)
        case .attribute(let name, _): if index(of: name) == nil { names.append(name) }
        case .everyone, .device, .deviceFact, .tag, .contactKeys, .deviceIDs, .known, .event, .party: break
        }
    }

    private func index(of name: String) -> Int? {
        names.firstIndex { $0.utf8.elementsEqual(name.utf8) }
    }

    /// For a query of events `e`: the text of each attribute, and the number that it is.
    func columns(_ dialect: any Dialect) -> SQLFragment {
        let columns = names.enumerated().map { index, name -> SQLFragment in
            let text = dialect.jsonText("e.attributes", key: name)
            let number = dialect.jsonNumber("e.attributes", key: name)
            return "\(text) AS t\(index), \(number) AS n\(index)"
        }
        return SQLFragment(columns.map(\.sql).joined(by: ", "), columns.flatMap(\.arguments))
    }

    /// The two columns of an attribute, if their query is named `v`.
    func expressions(of name: String) -> (text: SQLFragment, number: SQLFragment) {
        guard let index = index(of: name) else { return ("NULL", "NULL") }
        return ("v.t\(index)", "v.n\(index)")
    }
}

extension EventCount {
    /// Whether it holds for who has no such event.
    fileprivate var holdsForNone: Bool {
        switch op {
        case .equal: value == 0
        case .notEqual: value != 0
        case .less: 0 < value
        case .lessOrEqual: 0 <= value
        case .greater: 0 > value
        case .greaterOrEqual: 0 >= value
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
