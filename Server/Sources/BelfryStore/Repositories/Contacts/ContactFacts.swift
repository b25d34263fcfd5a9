import BelfryModel

/// What calls of a device need of its contact. Where several servers hold the database, it is asked for after the device,
/// which is on another one (FLEET-5).
struct ContactFacts: Hashable, Sendable {
    let isKnown: Bool
    /// When the contact's row was last written, in milliseconds since 1970.
    let updatedAt: Int64
}

extension ContactRepository {
    private static let factsQuery = KeyedQuery { asked in
        "SELECT known, updated_at FROM contacts WHERE id = \(asked(.integer))"
    }

    /// Of each contact that exists, by number.
    func facts(of ids: Set<Int64>) throws -> [Int64: ContactFacts] {
        guard !ids.isEmpty else { return [:] }
        let ids = ids.sorted()
        let found = try connection.queryEach(Self.factsQuery, ids.map { [.integer($0)] }) { row in
            ContactFacts(isKnown: row.flag(0), updatedAt: row.integer(1))
        }
        return zip(ids, found).reduce(into: [:]) { facts, next in facts[next.0] = next.1.first }
    }

    /// The values that templates show of some contacts, by number, each in the place in which it was asked for. A value
    /// that is not in the contact's own row is missing.
    func values(_ values: [RecipientValue], of ids: Set<Int64>) throws -> [Int64: [String?]] {
        guard let some = ids.first else { return [:] }
        let columns = values.map { $0.contactColumn ?? "NULL" }
        let areThese =
            ids.count == 1
            ? SQLFragment("id = ?", [.integer(some)])
            : connection.dialect.isOneOf(ids.sorted(), "id", isFirst: true)
        return try connection.query(
            "SELECT id, \(columns.joined(by: ", ")) FROM contacts WHERE \(areThese.sql)", areThese.arguments
        ) { row in
            (id: row.integer(0), values: values.indices.map { row.optionalText($0 + 1) })
        }.reduce(into: [:]) { found, next in found[next.id] = next.values }
    }
}
