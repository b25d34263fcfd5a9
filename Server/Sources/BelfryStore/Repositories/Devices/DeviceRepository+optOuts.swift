import BelfryModel

extension DeviceRepository {
    /// How many devices of an app are opted out for a reason, counted no further than a limit.
    package func count(optedOut reason: OptOutReason, app: Int64, limit: Int) throws -> Int {
        try connection.first(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM devices WHERE app_id = ? AND opt_out_reason = ? AND opt_out_reason IS NOT NULL LIMIT ?) d
            """,
            [.integer(app), .text(reason.rawValue), .integer(limit)]
        ) { Int($0.integer(0)) } ?? 0
    }
}
