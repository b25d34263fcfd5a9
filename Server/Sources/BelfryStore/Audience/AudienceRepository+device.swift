extension AudienceRepository {
    /// Whether a device belongs to an audience that asks for no events: one look by the key of the table.
    package func holds(_ device: Int64, app: Int64, audience: PlainPredicate) throws -> Bool {
        try holds(device, app: app, audience: audience.predicate)
    }

    /// Those of these devices that belong to an audience that asks for no events.
    package func members(of devices: [Int64], app: Int64, audience: PlainPredicate) throws -> [AudienceMember] {
        guard let first = devices.min(), let last = devices.max() else { return [] }
        let listed = SQLFragment(
            "SELECT value AS device_id FROM (\(connection.dialect.integers)) i", [.integers(devices)]
        )
        let scope = AudienceScope.devices(first...last, of: app, candidates: listed)
        let query: SQLFragment = """
            SELECT a.device_id, a.contact_id FROM \(scope.source)
            WHERE \(scope.condition) AND (\(audience.predicate.condition(in: scope))) ORDER BY a.device_id
            """
        return try connection.query(query.sql, query.arguments) {
            AudienceMember(device: $0.integer(0), contact: $0.optionalInteger(1))
        }
    }

    func holds(_ device: Int64, app: Int64, audience: AudiencePredicate) throws -> Bool {
        let scope = AudienceScope.device(device, of: app)
        let condition = audience.condition(in: scope)
        guard condition != .everybody else { return true }
        let query: SQLFragment = "SELECT 1 FROM \(scope.source) WHERE \(scope.condition) AND (\(condition))"
        return try connection.first(query.sql, query.arguments) { $0.flag(0) } ?? false
    }
}
