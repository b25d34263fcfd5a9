/// The devices of an app as predicates see them: for each app a table of plain columns, kept in step with devices and
/// contacts (PERF-6).
package struct AudienceRepository {
    /// The most candidates that are checked one by one; with more, a scan of the table is quicker.
    static let maximumCandidates = 50_000
    /// The limits up to which lookups are counted, in turn: a small set ends the count before the large ones have cost
    /// much.
    private static let steps = [1_000, 8_000, maximumCandidates]

    let connection: any SQLConnection

    /// - Parameter candidates: the devices that may belong to the audience, from ``candidates(_:)``; nil: any.
    static func count(
        app: Int64, audience: AudiencePredicate, devices: ClosedRange<Int64>, candidates: SQLFragment?
    ) -> SQLFragment {
        let scope = AudienceScope.devices(
            devices, of: app, withOpenings: audience.asksForOpenings, candidates: candidates
        )
        return """
            SELECT count(*) FROM \(scope.source) WHERE \(scope.condition) AND (\(audience.condition(in: scope)))
            """
    }

    /// The first and the last device of an app; nil when it has none.
    package func devices(app: Int64) throws -> ClosedRange<Int64>? {
        let table = AudienceColumns.table(of: app)
        // Two queries: one for both would scan the table.
        let ends: [SQLText] = ["min", "max"]
        let bounds = try ends.map { bound in
            try connection.first("SELECT \(bound)(device_id) FROM \(table)", []) { $0.optionalInteger(0) } ?? nil
        }
        guard let first = bounds[0], let last = bounds[1] else { return nil }
        return first...last
    }

    /// The device that comes so many places after another one of an app; nil if there is none.
    package func device(_ places: Int, behind device: Int64, app: Int64) throws -> Int64? {
        try connection.first(
            """
            SELECT device_id FROM \(AudienceColumns.table(of: app)) WHERE device_id > ?
            ORDER BY device_id LIMIT 1 OFFSET ?
            """,
            [.integer(device), .integer(places - 1)]
        ) { $0.integer(0) }
    }

    /// The smallest set of devices that an index finds and that includes the whole audience; nil if no small one
    /// exists.
    func candidates(_ tree: AudienceCandidates?) throws -> SQLFragment? {
        guard let tree else { return nil }
        for limit in Self.steps {
            if let found = try smallest(tree, below: limit) { return found.sql }
        }
        return nil
    }

    private func smallest(
        _ tree: AudienceCandidates, below limit: Int
    ) throws -> (sql: SQLFragment, count: Int)? {
        switch tree {
        case .lookup(let sql):
            let count = try connection.first(
                "SELECT count(*) FROM (SELECT 1 FROM (\(sql.sql)) i LIMIT ?) n", sql.arguments + [.integer(limit)]
            ) { Int($0.integer(0)) }
            guard let count, count < limit else { return nil }
            return (sql, count)
        case .smallest(let trees):
            var best: (sql: SQLFragment, count: Int)?
            for tree in trees {
                best = try smallest(tree, below: best?.count ?? limit) ?? best
                if best?.count == 0 { break }
            }
            return best
        case .union(let trees):
            var parts: [(sql: SQLFragment, count: Int)] = []
            var rest = limit
            for tree in trees {
                guard let part = try smallest(tree, below: rest) else { return nil }
                parts.append(part)
                rest -= part.count
            }
            let sql = parts.map(\.sql.sql).joined(by: " UNION ")
            return (SQLFragment(sql, parts.flatMap(\.sql.arguments)), limit - rest)
        }
    }
}

extension AudienceRepository {
    /// Whether a device belongs to an audience without event conditions; costs one lookup by the table's key.
    package func holds(_ device: Int64, app: Int64, audience: PlainPredicate) throws -> Bool {
        try holds(device, app: app, audience: audience.predicate)
    }

    /// The given devices that belong to an audience without event conditions.
    package func members(of devices: [Int64], app: Int64, audience: PlainPredicate) throws -> [AudienceMember] {
        guard let first = devices.min(), let last = devices.max() else { return [] }
        let listed = SQLFragment(
            "SELECT value AS device_id FROM (\(connection.dialect.integers)) i", [.integers(devices)]
        )
        let scope = AudienceScope.devices(
            first...last, of: app, withOpenings: audience.predicate.asksForOpenings, candidates: listed
        )
        let query: SQLFragment = """
            SELECT a.device_id, a.contact_id FROM \(scope.source)
            WHERE \(scope.condition) AND (\(audience.predicate.condition(in: scope))) ORDER BY a.device_id
            """
        return try connection.query(query.sql, query.arguments) {
            AudienceMember(device: $0.integer(0), contact: $0.optionalInteger(1))
        }
    }

    func holds(_ device: Int64, app: Int64, audience: AudiencePredicate) throws -> Bool {
        let contacts = try audience.asksForContacts ? contacts(of: device, app: app) : .any
        let scope = AudienceScope.device(
            device, of: app, withOpenings: audience.asksForOpenings, contacts: contacts
        )
        let condition = audience.condition(in: scope)
        guard condition != .everybody else { return true }
        let query: SQLFragment = "SELECT 1 FROM \(scope.source) WHERE \(scope.condition) AND (\(condition))"
        return try connection.first(query.sql, query.arguments) { $0.flag(0) } ?? false
    }

    /// The contact of a device, where conditions about it need to be told: there it is on another server (FLEET-5).
    private func contacts(of device: Int64, app: Int64) throws -> AudienceContacts {
        guard connection.dialect.isDistributed else { return .any }
        let contact = try connection.first(
            "SELECT contact_id FROM \(AudienceColumns.table(of: app)) WHERE device_id = ?", [.integer(device)]
        ) { $0.optionalInteger(0) }
        return .one(contact ?? nil)
    }
}

extension SQLConnection {
    package var audiences: AudienceRepository { AudienceRepository(connection: self) }
}
