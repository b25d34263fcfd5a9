import BelfryModel

/// How an audience can be found by indexes: sets of devices that contain the whole audience, and more.
///
/// Which of them is small depends on the data, so ``PredicateConnection/candidates(_:)`` counts.
package indirect enum AudienceCandidates: Hashable, Sendable {
    /// A query of `device_id`.
    case lookup(SQLFragment)
    /// Each of these contains the audience: the smallest is used.
    case smallest([AudienceCandidates])
    /// Only all of these together contain the audience.
    case union([AudienceCandidates])

    /// The selected column of a lookup. It is an expression, so that a bound on it does not make an engine use the
    /// table's key instead of the lookup's index.
    static let device: SQLText = "+p.device_id AS device_id"
}

extension AudienceSQL {
    /// The most parts of a union: engines limit the number of queries in one.
    private static let maximumParts = 100

    /// Nil if no index finds the audience.
    package func candidates(_ predicate: Condition) -> AudienceCandidates? {
        guard let tree = tree(predicate), tree.parts <= Self.maximumParts else { return nil }
        return tree
    }

    private func tree(_ predicate: Condition) -> AudienceCandidates? {
        switch predicate {
        case .all(let parts):
            let trees = parts.compactMap { tree($0) }
            return trees.isEmpty ? nil : .smallest(trees)
        case .any(let parts):
            let trees = parts.compactMap { tree($0) }
            return trees.count == parts.count && !trees.isEmpty ? .union(trees) : nil
        case .attribute(let name, let comparison):
            return columns.attributes[name].flatMap { tree(comparison, of: $0) }
        case .tag(let tag):
            guard !dialect.isDistributed else {
                return lookup("t.contact_id", in: "contact_tags t WHERE t.tag = \(bind: .composed(tag))")
            }
            return .lookup(
                """
                SELECT DISTINCT \(AudienceCandidates.device) FROM contact_tags t CROSS JOIN \(columns.table) p
                WHERE t.tag = \(bind: .composed(tag)) AND p.contact_id = t.contact_id
                """
            )
        case .contactKeys(let keys):
            let contacts = SQLFragment.contacts(keys, app: columns.app, dialect)
            return .lookup(
                "SELECT \(AudienceCandidates.device) FROM \(columns.table) p WHERE p.contact_id IN (\(contacts))"
            )
        case .deviceIDs(let ids):
            return .lookup(.devices(ids, app: columns.app, dialect))
        case .party(.number, .equal(.string(let number))) where AttributeValue.string(number).numberRead == nil:
            guard !dialect.isDistributed else {
                return lookup(
                    "c.id",
                    in: """
                        contacts c WHERE c.app_id = \(bind: .integer(columns.app)) AND c.party_number = \(bind: .text(number))
                        """
                )
            }
            return .lookup(
                """
                SELECT \(AudienceCandidates.device) FROM contacts c CROSS JOIN \(columns.table) p
                WHERE c.app_id = \(bind: .integer(columns.app)) AND c.party_number = \(bind: .text(number))
                    AND p.contact_id = c.id
                """
            )
        case .everyone, .not, .device, .deviceFact, .known, .event, .party:
            return nil
        }
    }

    /// The devices of the contacts that a query finds, without a join: the two are on different servers (FLEET-5).
    private func lookup(_ column: SQLText, in contacts: SQLFragment) -> AudienceCandidates {
        .lookup(
            """
            SELECT \(AudienceCandidates.device) FROM \(columns.table) p
            WHERE p.contact_id IN (SELECT \(column) FROM \(contacts))
            """
        )
    }

    private func tree(_ comparison: Comparison, of attribute: AudienceColumns.Attribute) -> AudienceCandidates? {
        let lookup = AttributeLookup(table: columns.table, attribute: attribute, dialect: dialect)
        if attribute.type == .date, !comparison.isOfText { return lookup.dates(comparison, in: context) }
        switch comparison {
        case .equal(let value): return lookup.equal(to: [value])
        case .isIn(let values): return lookup.equal(to: values)
        case .less(let value), .lessOrEqual(let value): return lookup.ordered("<=", value)
        case .greater(let value), .greaterOrEqual(let value): return lookup.ordered(">=", value)
        case .startsWith(let part): return lookup.starting(with: part)
        case .exists(true): return lookup.all
        case .notEqual, .contains, .exists(false): return nil
        }
    }
}

extension AudienceCandidates {
    /// The most lookups that this may take.
    fileprivate var parts: Int {
        switch self {
        case .lookup: 1
        case .smallest(let trees), .union(let trees): trees.reduce(0) { $0 + $1.parts }
        }
    }
}
