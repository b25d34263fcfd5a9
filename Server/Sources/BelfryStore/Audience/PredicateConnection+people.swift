/// Questions about people instead of their devices.
extension PredicateConnection {
    /// The contacts that have a device of an audience, the newest first, from below a number. Those of one that asks for
    /// events are not listed.
    ///
    /// - Parameter candidates: the devices that can belong to it, from ``candidates(_:)``; nil: there is no small set of
    ///   them, so that the next ones are near.
    package func contacts(
        app: Int64, audience: AudiencePredicate, candidates: SQLFragment?, before contact: Int64, limit: Int
    ) throws -> [Int64] {
        guard !audience.asksForEvents else { return [] }
        // Without candidates the table's index of contacts is walked, so nothing else may bound the rows.
        let scope =
            candidates.map { AudienceScope.devices(0...Int64.max, of: app, candidates: $0) }
            ?? AudienceScope(source: SQLFragment("\(AudienceColumns.table(of: app)) a"), condition: .everybody)
        let query: SQLFragment = """
            SELECT DISTINCT a.contact_id FROM \(scope.source)
            WHERE \(scope.condition) AND a.contact_id < \(bind: .integer(contact)) AND (\(audience.condition(in: scope)))
            ORDER BY a.contact_id DESC LIMIT \(bind: .integer(limit))
            """
        return try connection.query(query.sql, query.arguments) { $0.integer(0) }
    }
}
