import BelfryModel
import BelfryStore
import Foundation

/// Recalls all messages that a campaign has placed in message centers, page by page (MC-16). The recall of the campaign
/// stores that this is to be done, and each page stores the position. So another process can continue when this one has
/// died.
package struct MessageRecall: Sendable {
    /// Messages that one transaction recalls.
    package static let pageSize = 1_000
    /// Seconds for which a recall that has made progress belongs to its process.
    package static let lease: TimeInterval = 30
    /// A position before the first of all holders.
    private static let start = Int64.min

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let pageSize: Int

    package init(
        database: any SQLDatabase, environment: ServerEnvironment, pageSize: Int = MessageRecall.pageSize
    ) {
        self.database = database
        self.environment = environment
        self.pageSize = pageSize
    }

    /// Stores that the messages are to be recalled, from the first one on, in the transaction that recalls their
    /// campaign.
    ///
    /// - Parameters:
    ///   - owner: the process that will do it. Nil: any process.
    package static func note(
        _ id: CampaignID, app: Int64?, for owner: String?, now: Date, in connection: any SQLConnection
    ) throws {
        try connection.workAttempts.save(
            WorkAttempt(
                subject: .recall(id), app: app, attempts: owner == nil ? 0 : 1, owner: owner,
                leaseUntil: owner == nil ? now : now.addingTimeInterval(lease), since: now, reached: start
            )
        )
    }

    /// Recalls all messages of a campaign, for a call that waits for it.
    ///
    /// - Parameter owner: the process for which the recall was stored.
    package func run(_ id: CampaignID, for owner: String) async throws {
        var reached: Int64? = Self.start
        while let after = reached { reached = try await takeBack(id, after: after, for: owner) }
    }

    /// Recalls one more page of a recall whose process has died or could not continue.
    ///
    /// - Returns: false when there is no such recall.
    func goOn(counting attempts: WorkAttempts) async throws -> Bool {
        let (owner, now) = (attempts.owner, environment.now())
        let open = try await database.read { try $0.workAttempts.open(.recall) }
        guard let next = AttemptOrder.next(of: open, by: owner, now: now)?.subject, let id = next.campaign else {
            return false
        }
        _ = try await attempts.step(next) { () async throws -> (isDone: Bool, output: Bool) in
            guard let known = try await database.read({ try $0.workAttempts.find(next) }) else { return (true, true) }
            let reached = try await takeBack(id, after: known.reached, for: owner)
            return (reached == nil, true)
        }
        return true
    }

    /// - Returns: the last holder of the page. Nil at the end.
    private func takeBack(_ id: CampaignID, after holder: Int64, for owner: String) async throws -> Int64? {
        try await database.write(turn: .patient) { [environment, pageSize] connection -> Int64? in
            let now = environment.now()
            let rows = try connection.placedMessages.ofCampaign(id, after: holder, limit: pageSize)
            _ = try connection.placedMessages.recall(id, from: rows.map(\.holder), at: now)
            guard rows.count == pageSize, let last = rows.last?.holder.number else {
                try connection.workAttempts.end(.recall(id), of: owner)
                return nil
            }
            // The lease begins when it is written, not when the writer was asked for its turn.
            try connection.workAttempts.beginAnew(
                .recall(id), reached: last, of: owner, until: now.addingTimeInterval(Self.lease)
            )
            return last
        }
    }
}
