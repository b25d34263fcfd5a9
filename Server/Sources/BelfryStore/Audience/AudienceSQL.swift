import BelfryModel
import BelfryServerModel
import Foundation

/// Compiles a predicate to a condition over an app's audience table, joined under the name `a` (CAMP-3).
///
/// A missing value makes a comparison null, which counts as false: `all` and `any` keep nulls, and `not` checks that
/// its operand is not true. The condition itself is written so that no engine uses an index of the table for it, which
/// could mean scanning half of the table by an index. ``AudienceCandidates`` decides which index is worth using.
package struct AudienceSQL {
    let columns: AudienceColumns
    let dialect: any Dialect
    let context: ConditionContext

    /// - Parameters:
    ///   - zone: the app's time zone.
    ///   - now: the moment from which `within` and `-P30D` count.
    package init(_ columns: AudienceColumns, dialect: any Dialect, zone: TimeZone, now: Date) {
        self.columns = columns
        self.dialect = dialect
        context = ConditionContext(schema: columns.schema, zone: zone, now: now)
    }

    /// All errors of a predicate, each with its place.
    package func errors(of predicate: Condition) -> [ConditionError] {
        predicate.errors(in: context)
    }

    /// - Parameter gate: the devices for which the result matters; for other devices the condition may have any result.
    func fragment(_ predicate: Condition, _ gate: AudienceGate) -> SQLFragment {
        switch predicate {
        case .everyone, .all([]):
            return .everybody
        case .any([]):
            return .nobody
        case .all(let parts):
            return .joined(fragments(parts, gate) { $0 }, by: "AND")
        case .any(let parts):
            return .joined(fragments(parts, gate, \.negated), by: "OR")
        case .not(let part):
            return fragment(part, gate).negated
        case .attribute(let name, let comparison):
            return columns.attributes[name].map { fragment(comparison, of: $0) } ?? .nobody
        case .device(let property, let comparison):
            let text = SQLFragment(columns.text(of: property))
            return ComparisonSQL(text: text, number: dialect.number(readFrom: text), dialect: dialect).compile(
                comparison)
        case .deviceFact(.pushOptIn, let comparison):
            return SQLFragment("a.push_opt_in = ?", [.flag(comparison.asksForOptIn)])
        case .deviceFact(.lastOpenedAt, .exists(let flag)):
            return flag ? "a.opened_at IS NOT NULL" : "a.opened_at IS NULL"
        case .deviceFact(.lastOpenedAt, let comparison):
            return DateComparisonSQL(milliseconds: "a.opened_at", dialect: dialect, value: SQLValue.integer)
                .compile(comparison, in: context)
        case .event(let clause):
            return EventClauseSQL(columns: columns, dialect: dialect, now: context.now).compile(clause, gate)
        case .tag, .contactKeys, .deviceIDs, .known, .party:
            return identity(predicate, gate.scope)
        }
    }

    /// - Parameter others: turns a part without events into the condition that a device must fulfil for the other parts
    ///   to matter.
    private func fragments(
        _ parts: [Condition], _ gate: AudienceGate, _ others: (SQLFragment) -> SQLFragment
    ) -> [SQLFragment] {
        let plain = parts.map { $0.asksForEvents ? nil : fragment($0, gate) }
        let open = gate.adding(plain.compactMap { $0.map(others) })
        return zip(parts, plain).map { $1 ?? fragment($0, open) }
    }

    private func identity(_ predicate: Condition, _ scope: AudienceScope) -> SQLFragment {
        switch predicate {
        case .tag(let tag):
            guard !dialect.isDistributed else { return listed(tag: tag, scope) }
            return SQLFragment(
                "EXISTS (SELECT 1 FROM contact_tags t WHERE t.contact_id = a.contact_id AND t.tag = ?)",
                [.composed(tag)]
            )
        case .contactKeys(let keys):
            return "a.contact_id IN (\(SQLFragment.contacts(keys, app: columns.app, dialect)))"
        case .deviceIDs(let ids):
            return "a.device_id IN (\(SQLFragment.devices(ids, app: columns.app, dialect)))"
        case .known(let known):
            return SQLFragment("coalesce(a.known, 0) = ?", [.flag(known)])
        case .party(let part, let comparison):
            guard !dialect.isDistributed else { return listed(part, comparison, scope) }
            // Few contacts have a party identifier, so it is read from the contact when it is needed.
            let text: SQLFragment = "(SELECT c.\(part.column) FROM contacts c WHERE c.id = a.contact_id)"
            return ComparisonSQL(text: text, number: dialect.number(readFrom: text), dialect: dialect)
                .compile(comparison)
        default:
            return .nobody
        }
    }

    private func fragment(_ comparison: Comparison, of attribute: AudienceColumns.Attribute) -> SQLFragment {
        let plain = ComparisonSQL(text: "a.\(attribute.text)", number: "a.\(attribute.numeric)", dialect: dialect)
        guard attribute.type == .date, !comparison.isOfText else { return plain.compile(comparison) }
        return DateComparisonSQL(milliseconds: "+a.\(attribute.numeric)", dialect: dialect) { .real(Double($0)) }
            .compile(comparison, in: context)
    }
}

/// The conditions about a contact's rows, as lists (``AudienceContacts``).
extension AudienceSQL {
    private func listed(tag: String, _ scope: AudienceScope) -> SQLFragment {
        scope.hasContact("t.contact_id", in: "contact_tags t WHERE t.tag = \(bind: .composed(tag))")
    }

    /// Few contacts have a party identifier, and no comparison but that with nothing holds for those that have none.
    private func listed(_ part: PartyPart, _ comparison: Comparison, _ scope: AudienceScope) -> SQLFragment {
        let text: SQLFragment = "c.\(part.column)"
        let named: SQLFragment =
            "contacts c WHERE c.app_id = \(bind: .integer(columns.app)) AND \(text) IS NOT NULL"
        guard comparison != .exists(false) else { return scope.hasContact("c.id", in: named).negated }
        let fulfils = ComparisonSQL(text: text, number: dialect.number(readFrom: text), dialect: dialect)
            .compile(comparison)
        return scope.hasContact("c.id", in: "\(named) AND (\(fulfils))")
    }
}

extension Comparison {
    /// Whether the comparison uses the text, whatever the type of the attribute.
    var isOfText: Bool {
        switch self {
        case .contains, .startsWith, .exists: true
        default: false
        }
    }

    /// For a comparison of a flag: whether it requires true.
    fileprivate var asksForOptIn: Bool { self == .equal(true) || self == .notEqual(false) }
}

extension PartyPart {
    /// The column of the table `contacts`.
    var column: SQLText {
        switch self {
        case .type: "party_type"
        case .name: "party_name"
        case .number: "party_number"
        }
    }
}

extension SQLFragment {
    /// The row ids of contacts, by their keys; a former key leads to its contact of today (ADM-5).
    static func contacts(_ keys: [String], app: Int64, _ dialect: any Dialect) -> SQLFragment {
        let composed = keys.map(NamingRule.composed)
        return """
            SELECT coalesce(c.merged_into, c.id) FROM contacts c
            WHERE c.app_id = \(bind: .integer(app)) AND \(membership("c.contact_key", texts: composed, dialect))
            """
    }

    /// The row ids of devices, by their device ids.
    static func devices(_ ids: [String], app: Int64, _ dialect: any Dialect) -> SQLFragment {
        // Ids that cannot be valid match no device. A UUID matches in any spelling, any other id only in its own; both
        // are found by the index of ids in lower case.
        let clients = ids.compactMap { try? DeviceID($0) }
        let folded = membership("lower(d.client_id)", texts: clients.map { $0.canonical.lowercased() }, dialect)
        let spelled = clients.filter { !$0.isUUID }.map(\.canonical)
        let named: SQLFragment =
            spelled.isEmpty
            ? folded
            : """
            \(folded) AND (\(membership("d.client_id", texts: spelled, dialect)) \
            OR \(membership("lower(d.client_id)", texts: clients.filter(\.isUUID).map(\.canonical), dialect)))
            """
        // The last condition is true for every row. Without a condition that needs the row, SQLite would read all ids
        // of the app from a covering index instead of looking up these ids.
        return """
            SELECT +d.id AS device_id FROM devices d
            WHERE d.app_id = \(bind: .integer(app)) AND \(named) AND d.link_generation >= 0
            """
    }
}

extension SQLValue {
    /// A name in its stored spelling (composed).
    static func composed(_ text: String) -> SQLValue { .text(NamingRule.composed(text)) }
}
