import BelfryModel
import BelfryStore
import Foundation

/// Takes back all that a campaign has placed in message centers, page by page (MC-16). It is noted with the recall that
/// this is to be done, and with each page how far it has come: what a dead process leaves, the next one goes on with.
package struct MessageRecall: Sendable {
    /// Messages that one write takes back.
    package static let pageSize = 1_000
    /// How long nobody else goes on with a recall that got on, in seconds.
    package static let lease: TimeInterval = 30
    /// Before the first of all holders.
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

    /// Notes that the messages are to go, from the first one on, in the transaction that recalls their campaign.
    ///
    /// - Parameters:
    ///   - owner: who goes on with it; nil when that is whoever comes first.
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

    /// Takes back all messages of a campaign, for a call that waits for it.
    ///
    /// - Parameter owner: for whom it was noted.
    package func run(_ id: CampaignID, for owner: String) async throws {
        var reached: Int64? = Self.start
        while let after = reached { reached = try await takeBack(id, after: after, for: owner) }
    }

    /// Takes one more page of a recall that nobody is at, since who was has died or could not go on.
    ///
    /// - Returns: false when there is none.
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

    /// - Returns: up to which holder; nil at the end.
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
