import BelfryModel
import BelfrySQLite
import BelfryStore
import Foundation

/// Writes the data for `belfry bench console` directly into the server's database file: devices with events, and
/// campaigns that they have received.
struct ConsoleBenchData {
    /// The number of devices per transaction.
    private static let atOnce: Int64 = 20_000
    private static let day = 86_400_000

    let file: URL
    let devices: Int
    let rows: Int

    /// Writes the data. Returns the ids of the campaigns.
    func write(app code: String) async throws -> [Int64] {
        try await BenchAudience(database: .file(file)).write(devices, app: code)
        let database = try SQLiteDatabase(path: file.path, questions: .live)
        let app = try await database.read { try $0.apps.find(AppCode(code))?.id ?? 0 }
        let now = Int64(Date().milliseconds)
        let each = rows / devices
        for number in 0..<each { try await writeEvents(number, app: app, now: now, into: database) }
        var campaigns: [Int64] = []
        for number in 0..<each {
            // A launch every third day, so that the charts of a month show something.
            let launched = now - Int64(number * 3 * Self.day)
            let campaign = try await writeCampaign(number, app: app, launched: launched, into: database)
            try await writeDeliveries(of: campaign, launched: launched, into: database)
            campaigns.append(campaign)
        }
        try database.close()
        return campaigns
    }

    private func writeEvents(_ number: Int, app: Int64, now: Int64, into database: SQLiteDatabase) async throws {
        try await each { range in
            _ = try await database.write { connection in
                try connection.execute(
                    """
                    INSERT INTO events (device_id, event_id, app_id, contact_id, kind, name, at, received_at, session_id,
                        attributes)
                    SELECT id, ? || id, ?, contact_id, 'custom', ?, ?, ?, 's-1', '{"price":"9.99"}'
                    FROM devices WHERE id BETWEEN ? AND ?
                    """,
                    [
                        .text("e-\(number)-"), .integer(app), .text("event-\(number)"),
                        .integer(now - Int64(number) * 3_600_000), .integer(now), .integer(range.lowerBound),
                        .integer(range.upperBound),
                    ]
                )
            }
        }
    }

    private func writeCampaign(
        _ number: Int, app: Int64, launched: Int64, into database: SQLiteDatabase
    ) async throws -> Int64 {
        try await database.write { connection in
            let content = """
                {"name":"Campaign \(number)","kind":"push","audience":{"everyone":true},\
                "push":{"title":"Hello {{firstName}}","body":"News from {{city}}"}}
                """
            try connection.execute(
                """
                INSERT INTO campaigns (app_id, name, kind, content, status, created_at, launched_at, ended_at, planned_to,
                    plan_end, planned)
                VALUES (?, ?, 'push', ?, 'completed', ?, ?, ?, ?, ?, 1)
                """,
                [
                    .integer(app), .text("Campaign \(number)"), .text(content), .integer(launched), .integer(launched),
                    .integer(launched + 600_000), .integer(devices), .integer(devices),
                ]
            )
            return try connection.first("SELECT max(id) FROM campaigns", []) { $0.integer(0) } ?? 0
        }
    }

    /// Writes the ledger. Of 20 devices one is opted out, one has an invalid token, and 18 accepted the push; of these
    /// nine displayed it and three opened it.
    private func writeDeliveries(of campaign: Int64, launched: Int64, into database: SQLiteDatabase) async throws {
        try await each { range in
            _ = try await database.write { connection in
                try connection.execute(
                    """
                    INSERT INTO deliveries (campaign_id, device_id, contact_id, state, reason, attempts, updated_at,
                        displayed_at, opened_at)
                    SELECT ?, id, contact_id,
                        CASE id % 20 WHEN 0 THEN 'suppressed' WHEN 1 THEN 'rejected' ELSE 'accepted' END,
                        CASE id % 20 WHEN 0 THEN 'optedOut' WHEN 1 THEN 'Unregistered' END, 1, ? + id % 600000,
                        CASE WHEN id % 20 > 10 THEN ? + id % 7200000 END, CASE WHEN id % 20 > 16 THEN ? + id % 7200000 END
                    FROM devices WHERE id BETWEEN ? AND ?
                    """,
                    [
                        .integer(campaign), .integer(launched), .integer(launched), .integer(launched),
                        .integer(range.lowerBound), .integer(range.upperBound),
                    ]
                )
            }
        }
    }

    private func each(_ body: (ClosedRange<Int64>) async throws -> Void) async throws {
        for start in stride(from: 1, through: Int64(devices), by: Int64.Stride(Self.atOnce)) {
            try await body(start...min(start + Self.atOnce - 1, Int64(devices)))
        }
    }
}
