extension AudienceRepository {
    /// Whether a device belongs to an audience: one look by the key of the table.
    package func holds(_ device: Int64, app: Int64, audience: SQLFragment) throws -> Bool {
        guard audience != .everybody else { return true }
        let table = AudienceColumns.table(of: app)
        return try connection.first(
            "SELECT 1 FROM \(table) a WHERE a.device_id = ? AND (\(audience.sql))",
            [.integer(device)] + audience.arguments
        ) { $0.flag(0) } ?? false
    }
}
