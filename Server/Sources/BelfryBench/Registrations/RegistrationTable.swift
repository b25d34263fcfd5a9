import Foundation
import GRDB

/// The registrations in a server's file, read beside it: a witness that shares no code with the server.
struct RegistrationTable: Sendable {
    /// One that was stored.
    struct Entry: Sendable {
        let id: String
        let status: String
        /// Milliseconds since 1970; so is the next.
        let receivedAt: Int64
        let processedAt: Int64?
    }

    /// Between two looks at a backlog.
    private static let glance = Duration.milliseconds(20)
    /// How long a backlog may take.
    private static let patience = Duration.seconds(600)

    private let queue: DatabaseQueue

    /// - Parameter file: of a server that runs.
    init(file: URL) throws {
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        queue = try DatabaseQueue(path: file.path, configuration: configuration)
    }

    /// The newest row; those that are to come have higher numbers.
    func newest() async throws -> Int64 {
        try await queue.read { try Int64.fetchOne($0, sql: "SELECT max(id) FROM registrations") ?? 0 }
    }

    /// How many wait to be processed.
    func waiting() async throws -> Int {
        try await queue.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM registrations WHERE status = 'received'") ?? 0
        }
    }

    func entries(after row: Int64) async throws -> [Entry] {
        try await queue.read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: "SELECT registration_id, status, received_at, processed_at FROM registrations WHERE id > ?",
                arguments: [row]
            )
            var entries: [Entry] = []
            while let row = try rows.next() {
                entries.append(Entry(id: row[0], status: row[1], receivedAt: row[2], processedAt: row[3]))
            }
            return entries
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
        try await queue.read {
            try Int64.fetchOne(
                $0, sql: "SELECT received_at FROM registrations WHERE status = 'received' ORDER BY id LIMIT 1"
            )
        }
    }
}
