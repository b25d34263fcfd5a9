/// Questions about the overlap of audiences.
extension PredicateConnection {
    /// The most audiences that are compared in one question.
    package static var maximumOverlaps: Int { 12 }

    /// Counts the devices that belong to at least one of some audiences, by the audiences to which they belong: bit 0
    /// of a key stands for the first audience. The table is read once for all audiences.
    package func overlaps(app: Int64, audiences: [AudiencePredicate]) throws -> [Int: Int] {
        guard !audiences.isEmpty, let known = try connection.audiences.devices(app: app) else { return [:] }
        let audiences = Array(audiences.prefix(Self.maximumOverlaps))
        func count(_ devices: ClosedRange<Int64>) throws -> [(audiences: Int, devices: Int)] {
            let query =
                connection.dialect.isDistributed
                ? Self.overlapsByDevice(app: app, audiences: audiences, devices: devices)
                : Self.overlaps(app: app, audiences: audiences, devices: devices)
            return try connection.query(query.sql, query.arguments) { (Int($0.integer(0)), Int($0.integer(1))) }
        }
        var found: [Int: Int] = [:]
        func add(_ counts: [(audiences: Int, devices: Int)]) {
            for entry in counts where entry.audiences != 0 { found[entry.audiences, default: 0] += entry.devices }
        }
        guard audiences.contains(where: \.asksForEvents) else {
            add(try connection.scanning { try count(known) })
            return found
        }
        var windows = DeviceWindows(known)
        while let window = windows.next(spent: budget.spent) { add(try count(window)) }
        return found
    }

    private static func overlaps(
        app: Int64, audiences: [AudiencePredicate], devices: ClosedRange<Int64>
    ) -> SQLFragment {
        let scope = AudienceScope.devices(
            devices, of: app, withOpenings: audiences.contains(where: \.asksForOpenings)
        )
        let bits = audiences.enumerated().map { index, audience -> SQLFragment in
            "CASE WHEN (\(audience.condition(in: scope))) THEN \(1 << index) ELSE 0 END"
        }
        return """
            SELECT audiences, count(*) FROM (
                SELECT \(SQLFragment.joined(bits, by: "+")) AS audiences FROM \(scope.source) WHERE \(scope.condition)
            ) o GROUP BY audiences
            """
    }

    /// The same where several servers hold the database (FLEET-5): there a query in what a statement selects cannot ask
    /// for rows of contacts. The members of each audience are listed, and then put together by device.
    private static func overlapsByDevice(
        app: Int64, audiences: [AudiencePredicate], devices: ClosedRange<Int64>
    ) -> SQLFragment {
        let members = audiences.enumerated().map { index, audience -> SQLFragment in
            let scope = AudienceScope.devices(devices, of: app, withOpenings: audience.asksForOpenings)
            return """
                SELECT a.device_id, \(1 << index) AS audience FROM \(scope.source)
                WHERE \(scope.condition) AND (\(audience.condition(in: scope)))
                """
        }
        let all = SQLFragment(members.map(\.sql).joined(by: " UNION ALL "), members.flatMap(\.arguments))
        return """
            SELECT audiences, count(*) FROM (
                SELECT m.device_id, sum(m.audience) AS audiences FROM (\(all)) m GROUP BY m.device_id
            ) o GROUP BY audiences
            """
    }
}

/// Questions about people instead of their devices.
extension PredicateConnection {
    /// The contacts with a device in an audience, newest first, below a number. An audience with event conditions
    /// cannot be listed.
    ///
    /// - Parameter candidates: the devices that may belong to the audience, from ``candidates(_:)``; nil: there is no
    ///   small set, so the next members are found after few rows.
    package func contacts(
        app: Int64, audience: AudiencePredicate, candidates: SQLFragment?, before contact: Int64, limit: Int
    ) throws -> [Int64] {
        guard !audience.asksForEvents else { return [] }
        // Without candidates the table's index of contacts is scanned, so no other condition may bound the rows.
        let withOpenings = audience.asksForOpenings
        let scope =
            candidates.map {
                AudienceScope.devices(0...Int64.max, of: app, withOpenings: withOpenings, candidates: $0)
            } ?? AudienceScope.all(of: app, withOpenings: withOpenings)
        let query: SQLFragment = """
            SELECT DISTINCT a.contact_id FROM \(scope.source)
            WHERE \(scope.condition) AND a.contact_id < \(bind: .integer(contact)) AND (\(audience.condition(in: scope)))
            ORDER BY a.contact_id DESC LIMIT \(bind: .integer(limit))
            """
        return try connection.query(query.sql, query.arguments) { $0.integer(0) }
    }
}
