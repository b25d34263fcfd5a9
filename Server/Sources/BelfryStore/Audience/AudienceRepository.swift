/// The devices of an app as predicates see them: a table of plain columns for each app, kept beside devices and
/// contacts (PERF-6).
package struct AudienceRepository {
    /// Candidates that are looked at one by one; where there are more, a walk over the table is quicker.
    package static let maximumCandidates = 50_000
    /// A question with a rare clause is not kept waiting by those that are not.
    private static let steps = [1_000, 8_000, maximumCandidates]

    let connection: any SQLConnection

    /// How many devices belong to an audience, of a range of them.
    ///
    /// - Parameter candidates: those that can, from ``candidates(_:)``; nil: any.
    package func count(
        app: Int64, audience: SQLFragment, devices: ClosedRange<Int64> = 0...Int64.max, candidates: SQLFragment? = nil
    ) throws -> Int {
        let query = Self.count(app: app, audience: audience, devices: devices, candidates: candidates)
        func count() throws -> Int {
            try connection.first(query.sql, query.arguments) { Int($0.integer(0)) } ?? 0
        }
        // To look here and there in a table is another thing than to read it.
        return try candidates == nil ? connection.scanning(count) : count()
    }

    package static func count(
        app: Int64, audience: SQLFragment, devices: ClosedRange<Int64>, candidates: SQLFragment?
    ) -> SQLFragment {
        let table = AudienceColumns.table(of: app)
        let first = SQLValue.integer(devices.lowerBound)
        let last = SQLValue.integer(devices.upperBound)
        guard let candidates else {
            return """
                SELECT count(*) FROM \(table) a
                WHERE a.device_id BETWEEN \(bind: first) AND \(bind: last) AND (\(audience))
                """
        }
        // Whoever joins across leaves SQLite the order that stands there; other engines find it by themselves.
        return """
            SELECT count(*) FROM (\(candidates)) k CROSS JOIN \(table) a
            WHERE k.device_id BETWEEN \(bind: first) AND \(bind: last) AND a.device_id = k.device_id
                AND (\(audience))
            """
    }

    /// The first and the last device of an app; nil when it has none.
    package func devices(app: Int64) throws -> ClosedRange<Int64>? {
        let table = AudienceColumns.table(of: app)
        // Each by itself: together they would be a walk over the table.
        let ends: [SQLText] = ["min", "max"]
        let bounds = try ends.map { bound in
            try connection.first("SELECT \(bound)(device_id) FROM \(table)", []) { $0.integerIfAny(0) } ?? nil
        }
        guard let first = bounds[0], let last = bounds[1] else { return nil }
        return first...last
    }

    /// The smallest set that an index finds and that holds everybody of the audience; nil when there is no small one.
    package func candidates(_ tree: AudienceCandidates?) throws -> SQLFragment? {
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

extension SQLConnection {
    package var audiences: AudienceRepository { AudienceRepository(connection: self) }
}
