extension AudienceRepository {
    /// Whether a device belongs to an audience that asks for no events: one look by the key of the table.
    package func holds(_ device: Int64, app: Int64, audience: PlainPredicate) throws -> Bool {
        try holds(device, app: app, audience: audience.predicate)
    }

    func holds(_ device: Int64, app: Int64, audience: AudiencePredicate) throws -> Bool {
        let scope = AudienceScope.device(device, of: app)
        let condition = audience.condition(in: scope)
        guard condition != .everybody else { return true }
        let query: SQLFragment = "SELECT 1 FROM \(scope.source) WHERE \(scope.condition) AND (\(condition))"
        return try connection.first(query.sql, query.arguments) { $0.flag(0) } ?? false
    }
}
