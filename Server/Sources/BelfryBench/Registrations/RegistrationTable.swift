import BelfryStore
import Foundation

/// Reads the registrations in a server's database while the server runs.
struct RegistrationTable: Sendable {
    /// One stored registration.
    struct Entry: Sendable {
        let id: String
        let status: String
        /// Milliseconds since 1970, as is the next time.
        let receivedAt: Int64
        let processedAt: Int64?
    }

    /// The selected columns of a registration.
    private enum Place: Int, ResultPlace {
        case id, status, receivedAt, processedAt
    }

    /// The time between two checks of a backlog.
    private static let glance = Duration.milliseconds(20)
    /// The same for the backlog of a whole fleet.
    private static let rest = Duration.milliseconds(500)
    /// The maximum time to process a backlog.
    private static let patience = Duration.seconds(600)

    /// The database of a running server.
    let database: any SQLDatabase

    /// The number of the newest row. Later rows have higher numbers.
    func newest() async throws -> Int64 {
        try await number("SELECT max(id) FROM registrations") ?? 0
    }

    /// The number of unprocessed registrations.
    func waiting() async throws -> Int {
        Int(try await number("SELECT count(*) FROM registrations WHERE status = 'received'") ?? 0)
    }

    /// The number of registrations that were processed without any rejected part.
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
    /// - Returns: the time that it took.
    func drained() async throws -> Duration {
        let clock = ContinuousClock()
        let begin = clock.now
        // Two checks must agree: requests in progress at the end of the load may be stored after the first.
        var emptySince: ContinuousClock.Instant?
        while true {
            let waiting = try await self.waiting()
            if waiting == 0, let emptySince { return emptySince - begin }
            emptySince = waiting == 0 ? clock.now : nil
            guard clock.now - begin < Self.patience else { throw RegistrationBenchError.stuck(waiting: waiting) }
            try await clock.sleep(for: Self.glance)
        }
    }

    /// Waits until nothing is left to be processed.
    ///
    /// - Parameter patience: how long the server may make no progress.
    func emptied(patience: Duration) async throws {
        let clock = ContinuousClock()
        var lastProgress = clock.now
        var waiting = try await self.waiting()
        while waiting > 0 {
            try await clock.sleep(for: Self.rest)
            let left = try await self.waiting()
            if left < waiting { lastProgress = clock.now }
            guard clock.now - lastProgress < patience else { throw RegistrationBenchError.stuck(waiting: left) }
            waiting = left
        }
    }

    /// Reads the oldest unprocessed registration again and again until it is cancelled.
    ///
    /// - Returns: the greatest age that was seen, in milliseconds.
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
