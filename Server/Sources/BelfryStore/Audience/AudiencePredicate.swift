import BelfryModel

/// A predicate that was checked and can be selected, of one app and one moment.
package struct AudiencePredicate: Sendable {
    let compiler: AudienceSQL
    let condition: Condition
    /// The numbers of the only installations that can belong to it; nil for any.
    var installations: [Int64]?

    /// Whether it looks at events, of which a person may have any number: what it costs is bounded by a budget alone.
    package var asksForEvents: Bool { condition.asksForEvents }

    /// The condition over `a`, for a statement that looks at these devices.
    func condition(in scope: AudienceScope) -> SQLFragment {
        let everybody = compiler.fragment(condition, AudienceGate(scope: scope))
        guard let installations else { return everybody }
        let named = SQLFragment.membership("a.device_id", integers: installations, compiler.dialect)
        return .joined([named, everybody], by: "AND")
    }
}

/// A predicate without events: of one device it costs a look by its key, so any connection may ask it.
package struct PlainPredicate: Sendable {
    let predicate: AudiencePredicate

    package init?(_ predicate: AudiencePredicate) {
        guard !predicate.asksForEvents else { return nil }
        self.predicate = predicate
    }
}

/// The devices that a statement looks at, with their rows of the audience table as `a`.
struct AudienceScope: Sendable {
    let source: SQLFragment
    let condition: SQLFragment

    static func device(_ device: Int64, of app: Int64) -> AudienceScope {
        AudienceScope(
            source: SQLFragment("\(AudienceColumns.table(of: app)) a"),
            condition: "a.device_id = \(bind: .integer(device))"
        )
    }

    /// - Parameter candidates: a query of those that it can be, from an index; nil: any.
    static func devices(
        _ devices: ClosedRange<Int64>, of app: Int64, candidates: SQLFragment? = nil
    ) -> AudienceScope {
        let table = AudienceColumns.table(of: app)
        let first = SQLValue.integer(devices.lowerBound)
        let last = SQLValue.integer(devices.upperBound)
        guard let candidates else {
            return AudienceScope(
                source: SQLFragment("\(table) a"), condition: "a.device_id BETWEEN \(bind: first) AND \(bind: last)"
            )
        }
        // Whoever joins across leaves SQLite the order that stands there; other engines find it by themselves.
        return AudienceScope(
            source: "(\(candidates)) k CROSS JOIN \(table) a",
            condition: "k.device_id BETWEEN \(bind: first) AND \(bind: last) AND a.device_id = k.device_id"
        )
    }
}

/// Of whom a part of a predicate has to be known: of the scope's devices, those whom the parts around it leave open.
struct AudienceGate {
    /// What a gate repeats of other parts is to cost less than it saves, and engines bound their statements.
    private static let maximumArguments = 64
    private static let maximumLength = 4_096

    let scope: AudienceScope
    private var parts: [SQLFragment] = []

    init(scope: AudienceScope) {
        self.scope = scope
    }

    /// Devices of the scope, as a condition.
    var condition: SQLFragment { .joined([scope.condition] + parts, by: "AND") }

    /// The gate of those alone who fulfil this as well.
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
    var asksForEvents: Bool {
        switch self {
        case .event: true
        case .all(let parts), .any(let parts): parts.contains { $0.asksForEvents }
        case .not(let part): part.asksForEvents
        case .everyone, .attribute, .device, .deviceFact, .tag, .contactKeys, .deviceIDs, .known, .party: false
        }
    }
}
