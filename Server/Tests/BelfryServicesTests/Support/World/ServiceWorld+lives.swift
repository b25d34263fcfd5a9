import BelfryModel
import BelfryServices
import BelfryStore
import Foundation

extension ServiceWorld {
    /// Lets processes live one after the other, each until something ends it, and tells how many it ended.
    ///
    /// - Parameters:
    ///   - limit: that many at most; reached, it continues forever.
    ///   - trap: what ends a process, asked in each write.
    ///   - life: what a process does with its view of the database; it may fail in any way once it has ended.
    func deaths(
        limit: Int = 12, by trap: @escaping @Sendable (any SQLConnection) throws -> Bool,
        life: (_ database: TrappingDatabase, _ attempts: WorkAttempts, _ number: Int) async throws -> Void
    ) async throws -> Int {
        for number in 0..<limit {
            let database = TrappingDatabase(self.database, trap: trap)
            let attempts = makeAttempts("process \(number) of \(clock.now.milliseconds)", over: database)
            do {
                try await life(database, attempts, number)
            } catch _ where database.hasEnded {
                // It went as it was.
            }
            guard database.hasEnded else { return number }
            // The leases of the dead one end.
            clock.advance(by: 15)
        }
        return limit
    }

    /// What operators see in quarantine.
    func quarantined() async throws -> [QuarantinedWork] {
        try await quarantine.list(app: nil, before: nil, limit: 99).work
    }

    /// How many were quarantined, according to the metrics.
    func quarantinedCount(_ kind: String) -> Int {
        let name = "belfry_quarantined_total{kind=\"\(kind)\"} "
        let line = metrics.prometheusText().split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { Int($0.dropFirst(name.count)) } ?? 0
    }
}
