import BelfryModel

/// A checked predicate of one app, ready for SQL, as of one moment.
package struct AudiencePredicate: Sendable {
    let compiler: AudienceSQL
    let condition: Condition
    /// The numbers of the only devices that can belong to the audience; nil for any.
    var installations: [Int64]?

    /// Whether it uses events, of which a person may have any number: then only a budget limits its cost.
    package var asksForEvents: Bool { condition.asksForEvents }
    /// Whether it uses rows of contacts, which are on other servers than devices where several hold the database.
    var asksForContacts: Bool { condition.asksForContacts }
    /// Whether it uses the last opening of the app, which is in a separate table.
    var asksForOpenings: Bool { condition.asksForOpenings }

    /// The condition over `a`, for a statement on these devices.
    func condition(in scope: AudienceScope) -> SQLFragment {
        let everybody = compiler.fragment(condition, AudienceGate(scope: scope))
        guard let installations else { return everybody }
        let named = SQLFragment.membership("a.device_id", integers: installations, compiler.dialect)
        return .joined([named, everybody], by: "AND")
    }
}

/// A predicate without events: for one device it costs a lookup by key, so any connection may evaluate it.
package struct PlainPredicate: Sendable {
    let predicate: AudiencePredicate

    package init?(_ predicate: AudiencePredicate) {
        guard !predicate.asksForEvents else { return nil }
        self.predicate = predicate
    }
}

/// The devices that a statement reads, with their rows of the audience table as `a`. For predicates that use openings,
/// the rows have the additional column `opened_at`.
struct AudienceScope: Sendable {
    let source: SQLFragment
    let condition: SQLFragment
    /// Which contacts the devices have; only a distributed database is asked about them.
    var contacts = AudienceContacts.any

    static func device(
        _ device: Int64, of app: Int64, withOpenings: Bool, contacts: AudienceContacts = .any
    ) -> AudienceScope {
        AudienceScope(
            source: rows(device...device, of: app, withOpenings: withOpenings),
            condition: "a.device_id = \(bind: .integer(device))", contacts: contacts
        )
    }

    /// All devices of an app, without a bound, so that an engine may use any index.
    static func all(of app: Int64, withOpenings: Bool) -> AudienceScope {
        AudienceScope(source: rows(nil, of: app, withOpenings: withOpenings), condition: .everybody)
    }

    /// - Parameter candidates: a query, by an index, of the devices that may belong to the audience; nil: any.
    static func devices(
        _ devices: ClosedRange<Int64>, of app: Int64, withOpenings: Bool, candidates: SQLFragment? = nil
    ) -> AudienceScope {
        let rows = rows(devices, of: app, withOpenings: withOpenings)
        let first = SQLValue.integer(devices.lowerBound)
        let last = SQLValue.integer(devices.upperBound)
        guard let candidates else {
            return AudienceScope(
                source: rows, condition: "a.device_id BETWEEN \(bind: first) AND \(bind: last)",
                contacts: devices.lowerBound > devices.upperBound - AudienceContacts.maximumDevices ? .ofDevices : .any
            )
        }
        // With `CROSS JOIN`, SQLite keeps the written order; other engines find the best order by themselves.
        return AudienceScope(
            source: "(\(candidates)) k CROSS JOIN \(rows)",
            condition: "k.device_id BETWEEN \(bind: first) AND \(bind: last) AND a.device_id = k.device_id",
            contacts: .ofDevices
        )
    }

    /// The audience table as `a`. Engines flatten the subquery that adds the openings: it costs a lookup for each row,
    /// or a second scan beside the first. A predicate that does not use openings pays for neither.
    ///
    /// - Parameter devices: limits the openings as well, which an engine may otherwise read from the first one.
    private static func rows(
        _ devices: ClosedRange<Int64>?, of app: Int64, withOpenings: Bool
    ) -> SQLFragment {
        let table = AudienceColumns.table(of: app)
        guard withOpenings else { return SQLFragment("\(table) a") }
        let bound =
            devices.map { devices -> SQLFragment in
                let (first, last) = (SQLValue.integer(devices.lowerBound), SQLValue.integer(devices.upperBound))
                return "AND o.device_id BETWEEN \(bind: first) AND \(bind: last)"
            } ?? ""
        return """
            (SELECT t.*, CASE WHEN t.last_opened_at > o.at THEN t.last_opened_at
                    ELSE coalesce(o.at, t.last_opened_at) END AS opened_at
                FROM \(table) t LEFT JOIN device_openings o ON o.device_id = t.device_id \(bound)) a
            """
    }
}

/// The devices for which the result of a part of a predicate matters: those of the scope for which the other parts do
/// not already decide.
struct AudienceGate {
    /// Limits on the repeated conditions of other parts: they must cost less than they save, and engines limit the size
    /// of statements.
    private static let maximumArguments = 64
    private static let maximumLength = 4_096

    let scope: AudienceScope
    private var parts: [SQLFragment] = []

    init(scope: AudienceScope) {
        self.scope = scope
    }

    /// The devices of the gate, as a condition.
    var condition: SQLFragment { .joined([scope.condition] + parts, by: "AND") }

    /// The gate of only those devices that also fulfil these conditions.
    func adding(_ others: [SQLFragment]) -> AudienceGate {
        var gate = self
        var arguments = gate.parts.reduce(0) { $0 + $1.arguments.count }
        var length = gate.parts.reduce(0) { $0 + $1.sql.statement.utf8.count }
        for other in others {
            let (ownArguments, ownLength) = (other.arguments.count, other.sql.statement.utf8.count)
            guard arguments + ownArguments <= Self.maximumArguments, length + ownLength <= Self.maximumLength else {
                continue
            }
            gate.parts.append(other)
            arguments += ownArguments
            length += ownLength
        }
        return gate
    }
}

extension Condition {
    var asksForOpenings: Bool {
        switch self {
        case .deviceFact(.lastOpenedAt, _): true
        case .all(let parts), .any(let parts): parts.contains { $0.asksForOpenings }
        case .not(let part): part.asksForOpenings
        case .everyone, .attribute, .device, .deviceFact, .tag, .contactKeys, .deviceIDs, .known, .party, .event: false
        }
    }

    /// Whether it uses what is in rows of contacts, and not in the audience table.
    var asksForContacts: Bool {
        switch self {
        case .tag, .party: true
        case .all(let parts), .any(let parts): parts.contains { $0.asksForContacts }
        case .not(let part): part.asksForContacts
        case .everyone, .attribute, .device, .deviceFact, .contactKeys, .deviceIDs, .known, .event: false
        }
    }

    var asksForEvents: Bool {
        switch self {
        case .event: true
        case .all(let parts), .any(let parts): parts.contains { $0.asksForEvents }
        case .not(let part): part.asksForEvents
        case .everyone, .attribute, .device, .deviceFact, .tag, .contactKeys, .deviceIDs, .known, .party: false
        }
    }
}
