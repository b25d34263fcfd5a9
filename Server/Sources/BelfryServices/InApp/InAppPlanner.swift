import BelfryModel
import BelfryStore
import Foundation
import Logging

/// Walks over in-app campaigns' audiences and ledgers, slice by slice (LED-1, IAM-2).
package struct InAppPlanner: Sendable {
    /// Ledger rows that one step writes, and devices that it looks at: as many as the planner of the other campaigns.
    static let sliceSize = CampaignPlanner.batchSize
    static let scanSize = CampaignPlanner.scanSize

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let attempts: WorkAttempts
    let logger: Logger

    package init(
        database: any SQLDatabase, environment: ServerEnvironment, attempts: WorkAttempts, logger: Logger
    ) {
        self.database = database
        self.environment = environment
        self.attempts = attempts
        self.logger = logger
    }

    /// Completes the campaigns whose end has come.
    package func completeEnded() async throws {
        let (owner, now) = (attempts.owner, environment.now())
        let ids = try await database.read { try $0.inAppCampaigns.ended(for: owner, now: now) }
        for id in ids {
            try await change(id, isDone: { _ in true }) { connection, row, now in
                guard row.campaign.draft.inApp?.hasEnded(by: now) == true,
                    [.active, .paused].contains(row.campaign.status)
                else { return nil }
                row.campaign.status = .completed
                row.campaign.statusReason = nil
                row.campaign.endedAt = now
                connection.closeInApp(&row)
                try connection.campaigns.save(row)
                try connection.inAppClocks.advance(app: row.app, now: now)
                return nil
            }
        }
    }

    /// Writes the next slice of some campaign's audience into the ledger; false when every audience stands there.
    package func planNext() async throws -> Bool {
        try await step(.planningInApp, isDone: { $0.isPlanned }) { connection, row, now in
            do {
                try connection.planSlice(of: &row, now: now)
                try connection.campaigns.save(row)
                return nil
            } catch let refusal as Refusal {
                let givenUp = row.giveUp(because: refusal, now: now)
                connection.closeInApp(&row)
                try connection.campaigns.save(row)
                try connection.inAppClocks.advance(app: row.app, now: now)
                return givenUp
            }
        }
    }

    /// Ends the next slice of what some campaign that is over has pending; false when nothing is.
    package func closeNext() async throws -> Bool {
        try await step(.closing, isDone: { $0.closedTo == nil }) { connection, row, now in
            try connection.closeSlice(of: &row, now: now)
            try connection.campaigns.save(row)
            return nil
        }
    }

    /// When there is something to do again, as far as it is known.
    func nextDate() async throws -> Date? {
        let (owner, now) = (attempts.owner, environment.now())
        return try await database.read { connection in
            [
                try connection.inAppCampaigns.nextEnd(for: owner, now: now),
                try connection.campaigns.nextScheduled(for: owner, now: now),
            ].compactMap(\.self).min()
        }
    }

    private typealias Change = @Sendable (any SQLConnection, inout CampaignRow, Date) throws -> GivenUpCampaign?

    /// - Parameter isDone: whether the walk has come to its end with the row.
    /// - Returns: whether there was a campaign to go on with.
    private func step(
        _ walk: CampaignWalk, isDone: @escaping @Sendable (CampaignRow) -> Bool, body: @escaping Change
    ) async throws -> Bool {
        // Most of the time there is nothing to do, and to see that takes no turn of the writer.
        let (owner, now) = (attempts.owner, environment.now())
        guard let id = try await database.read({ try $0.campaigns.next(walk, by: owner, now: now) }) else {
            return false
        }
        return try await change(id, of: walk, isDone: isDone, body)
    }

    /// - Parameter walk: that which is to take it; nil when none is.
    /// - Returns: false when the walk has nothing to do there any more, or somebody else is at it.
    @discardableResult
    private func change(
        _ id: Int64, of walk: CampaignWalk? = nil, isDone: @escaping @Sendable (CampaignRow) -> Bool,
        _ body: @escaping Change
    ) async throws -> Bool {
        let (owner, now) = (attempts.owner, environment.now())
        let step = try await attempts.step(.plan(id)) {
            let step = try await database.write(turn: .patient) { connection -> PlanningStep? in
                if let walk, try !connection.campaigns.take(id, for: walk) {
                    try connection.workAttempts.end(.plan(id), of: owner)
                    return nil
                }
                let step = try Self.change(id, connection, isDone: isDone, now: now, body)
                try connection.stepped(.plan(id), isDone: step.isDone)
                return step
            }
            return (isDone: step?.isDone ?? true, output: step)
        }
        // One that was set aside just now lets the next one go on.
        guard let step else { return true }
        logger.tell(of: step?.givenUp)
        return step != nil
    }

    /// One that cannot be read is set aside, or it would hold up all others.
    private static func change(
        _ id: Int64, _ connection: any SQLConnection, isDone: (CampaignRow) -> Bool, now: Date, _ body: Change
    ) throws -> PlanningStep {
        do {
            guard var row = try CampaignID(id).flatMap(connection.campaigns.find) else {
                throw StoreError.corrupted(table: "campaigns", key: String(id))
            }
            let givenUp = try body(connection, &row, now)
            return PlanningStep(isDone: isDone(row), givenUp: givenUp)
        } catch let error where error.meansUnreadable {
            let givenUp = try connection.giveUpUnreadable(id, now: now)
            if let id = CampaignID(id) {
                try connection.deliveries.endPending(
                    of: id, devices: 0...Int64.max, as: .cancelled, reason: .campaignCancelled, now: now
                )
            }
            return PlanningStep(isDone: true, givenUp: givenUp)
        }
    }
}

extension SQLConnection {
    /// While the campaign is active its devices are told; one that is paused or over tells nobody.
    fileprivate func planSlice(of row: inout CampaignRow, now: Date) throws {
        let audience = try audience(row.campaign.draft.audience, app: row.app, now: now)
        let scanEnd = min(row.planEnd, row.plannedTo + InAppPlanner.scanSize)
        let devices = try deliveries.planInApp(
            row.id, app: row.app, audience: audience, devices: (row.plannedTo + 1)..<(scanEnd + 1),
            limit: InAppPlanner.sliceSize, now: now
        )
        if row.campaign.status == .active { try requestSilentPushes(.inApp, to: devices, now: now) }
        row.plannedTo = devices.count == InAppPlanner.sliceSize ? devices.last ?? scanEnd : scanEnd
        row.isPlanned = row.plannedTo >= row.planEnd
    }

    fileprivate func closeSlice(of row: inout CampaignRow, now: Date) throws {
        let slice = try deliveries.states(of: row.id, after: row.closedTo ?? 0, limit: InAppPlanner.sliceSize)
        guard let first = slice.first?.device, let last = slice.last?.device else { return row.closedTo = nil }
        let (state, reason): (DeliveryState, DeliveryReason) =
            row.campaign.status == .completed ? (.suppressed, .expired) : (.cancelled, .campaignCancelled)
        try deliveries.endPending(of: row.id, devices: first...last, as: state, reason: reason, now: now)
        if row.campaign.recalledAt != nil {
            let holders = slice.filter { $0.state == .accepted }.map(\.device)
            try requestSilentPushes(.inApp, to: holders, now: now)
        }
        row.closedTo = slice.count == InAppPlanner.sliceSize ? last : nil
    }
}
