import BelfryStore
import Foundation

/// The registrations in a server's database, read beside the server.
struct RegistrationTable: Sendable {
    /// One that was stored.
    struct Entry: Sendable {
        let id: String
        let status: String
        /// Milliseconds since 1970; so is the next.
        let receivedAt: Int64
        let processedAt: Int64?
    }

    /// What is selected of one.
    private enum Place: Int, ResultPlace {
        case id, status, receivedAt, processedAt
    }

    /// Between two looks at a backlog.
    private static let glance = Duration.milliseconds(20)
    /// How long a backlog may take.
    private static let patience = Duration.seconds(600)

    /// Of a server that runs.
    let database: any SQLDatabase

    /// The newest row; those that are to come have higher numbers.
    func newest() async throws -> Int64 {
        try await number("SELECT max(id) FROM registrations") ?? 0
    }

    /// How many wait to be processed.
    func waiting() async throws -> Int {
        Int(try await number("SELECT count(*) FROM registrations WHERE status = 'received'") ?? 0)
    }

    /// How many were processed, and nothing of them rejected.
    func processed() async throws -> Int {
        Int(try await number("SELECT count(*) FROM registrations WHERE status = 'processed'") ?? 0)
    }

    private func number(_ sql: SQLText) async throws -> Int64? {
        try await database.read { try $0.first(sql, []) { $0.optionalInteger(0) } ?? nil }
    }

    func entries(after row: Int64) async throws -> [Entry] {
        try await database.read { connection in
            try connection.query(
                "SELECT registration_id, status, received_at, processed_at FROM registrations WHERE id > ?",
                [.integer(row)]
            ) { row -> Entry in
                let row = ResultRow<Place>(row)
                return Entry(
                    id: row.text(.id), status: row.text(.status), receivedAt: row.integer(.receivedAt),
                    processedAt: row.optionalInteger(.processedAt)
                )
            }
        }
    }

    /// Waits until nothing is left to be processed.
    ///
    /// - Returns: how long that took.
    func drained() async throws -> Duration {
        let clock = ContinuousClock()
        let begin = clock.now
        // Two looks have to agree: what was under way when the load ended may come in after the first.
        var emptySince: ContinuousClock.Instant?
        while true {
            let waiting = try await self.waiting()
            if waiting == 0, let emptySince { return emptySince - begin }
            emptySince = waiting == 0 ? clock.now : nil
            guard clock.now - begin < Self.patience else { throw RegistrationBenchError.stuck(waiting: waiting) }
            try await clock.sleep(for: Self.glance)
        }
    }

    /// Looks at the oldest that waits, again and again until it is cancelled.
    ///
    /// - Returns: the greatest age in milliseconds that was seen.
    func greatestAge() async throws -> Int64 {
        var greatest: Int64 = 0
        while !Task.isCancelled {
            do {
                if let received = try await oldestWaiting() {
                    greatest = max(greatest, Int64(Date().timeIntervalSince1970 * 1_000) - received)
                }
                try await Task.sleep(for: Self.glance)
            } catch {
                guard Task.isCancelled else { throw error }
            }
        }
        return greatest
    }

    private func oldestWaiting() async throws -> Int64? {
        try await number("SELECT received_at FROM registrations WHERE status = 'received' ORDER BY id LIMIT 1")
    }
}
