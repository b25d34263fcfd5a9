import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Logging

/// Walks over the audiences and ledgers of in-app campaigns, slice by slice (LED-1, IAM-2).
package struct InAppPlanner: Sendable {
    /// Ledger rows that one step writes, and devices that it reads: as many as in the planner of the other campaigns.
    static let sliceSize = CampaignPlanner.batchSize
    static let scanSize = CampaignPlanner.scanSize

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let attempts: WorkAttempts
    /// Traces of the deliveries that it ends. Nil when nobody collects them.
    let traces: TraceLog?
    let logger: Logger

    package init(
        database: any SQLDatabase, environment: ServerEnvironment, attempts: WorkAttempts, traces: TraceLog? = nil,
        logger: Logger
    ) {
        self.database = database
        self.environment = environment
        self.attempts = attempts
        self.traces = traces
        self.logger = logger
    }

    /// Completes the campaigns whose end date has passed.
    package func completeEnded() async throws {
        let (owner, now) = (attempts.owner, environment.now())
        let ids = try await database.read { try $0.inAppCampaigns.ended(for: owner, now: now) }
        for id in ids {
            try await change(id, isDone: { _ in true }) { connection, row, now in
                guard row.campaign.draft.inApp?.hasEnded(by: now) == true,
                    [.active, .paused].contains(row.campaign.status)
                else { return .saved }
                row.campaign.status = .completed
                row.campaign.statusReason = nil
                row.campaign.endedAt = now
                row.closeInApp()
                try connection.campaigns.save(row)
                try connection.inAppRevisions.advance(app: row.app, now: now)
                return .saved
            }
        }
    }

    /// Writes the next slice of some campaign's audience into the ledger. False when all audiences are written.
    package func planNext() async throws -> Bool {
        let (owner, now) = (attempts.owner, environment.now())
        guard let id = try await database.read({ try $0.campaigns.next(.planningInApp, by: owner, now: now) }) else {
            return false
        }
        let step = try await attempts.step(.plan(id)) {
            let step = try await lookAndPlan(id, now: now)
            return (isDone: step?.isDone ?? true, output: step)
        }
        return report(step)
    }

    /// Scans for the next devices of the audience, and then writes them.
    private func lookAndPlan(_ id: Int64, now: Date) async throws -> PlanningStep? {
        var scanSize = Self.scanSize
        for number in 1...CampaignPlanner.maximumLooks {
            let look = try await database.ask(.planning) { [scanSize] asked in
                try AudienceScan.take(
                    of: id, at: { _ in now }, scanSize: scanSize, limit: Self.sliceSize, asked
                )
            }
            let step = try await write(id, of: .planningInApp, isDone: { $0.isPlanned }) { connection, row, now in
                try InAppAudienceWalk(connection: connection, now: now).plan(
                    look, of: &row, isLast: number == CampaignPlanner.maximumLooks
                )
            }
            guard let step, let change = step.change else { return step }
            // Next time, scan only the device that has changed during the scan, so that the scan is short.
            if change == .device { scanSize = 1 }
        }
        return PlanningStep(isDone: false)
    }

    /// Ends the pending deliveries in the next slice of some campaign that has ended. False when there are none.
    package func closeNext() async throws -> Bool {
        try await step(.closing, isDone: { $0.closedTo == nil }) { [isTraced = traces != nil] connection, row, now in
            let ended = try InAppAudienceWalk(connection: connection, now: now).close(&row, isTraced: isTraced)
            try connection.campaigns.save(row)
            return .closed(ended)
        }
    }

    /// When there will be work again, as far as it is known.
    func nextDate() async throws -> Date? {
        let (owner, now) = (attempts.owner, environment.now())
        return try await database.read { connection in
            [
                try connection.inAppCampaigns.nextEnd(for: owner, now: now),
                try connection.campaigns.nextScheduled(for: owner, now: now),
            ].compactMap(\.self).min()
        }
    }

    /// The result of a change, besides the row.
    enum Changed {
        case saved
        /// The row was saved, and these deliveries were ended; empty unless traces are collected.
        case closed([EndedDeliveries])
        case failed(FailedCampaign)
        /// Nothing was changed, because the scanned data has changed meanwhile.
        case outdated(PlanningStep.Change)
    }

    private typealias Change = @Sendable (any SQLConnection, inout CampaignRow, Date) throws -> Changed

    /// - Parameter isDone: whether the walk is complete, given the row.
    /// - Returns: whether there was a campaign to work on.
    private func step(
        _ walk: CampaignWalk, isDone: @escaping @Sendable (CampaignRow) -> Bool, body: @escaping Change
    ) async throws -> Bool {
        // Most of the time there is no work. A read finds that out without the writer.
        let (owner, now) = (attempts.owner, environment.now())
        guard let id = try await database.read({ try $0.campaigns.next(walk, by: owner, now: now) }) else {
            return false
        }
        return try await change(id, of: walk, isDone: isDone, body)
    }

    /// - Parameter walk: the walk that must take the campaign. Nil: none.
    /// - Returns: false when the walk has nothing to do for the campaign any more, or another process works on it.
    @discardableResult
    private func change(
        _ id: Int64, of walk: CampaignWalk? = nil, isDone: @escaping @Sendable (CampaignRow) -> Bool,
        _ body: @escaping Change
    ) async throws -> Bool {
        let step = try await attempts.step(.plan(id)) {
            let step = try await write(id, of: walk, isDone: isDone, body)
            return (isDone: step?.isDone ?? true, output: step)
        }
        return report(step)
    }

    /// - Parameter step: nil inside when the walk has nothing to do for the campaign; nil altogether when the step was
    ///   not begun.
    private func report(_ step: PlanningStep??) -> Bool {
        // If this campaign was quarantined just now, the next one follows.
        guard let step else { return true }
        if let ended = step?.ended { traces?.record(ended) }
        logger.report(step?.failed)
        return step != nil
    }

    private func write(
        _ id: Int64, of walk: CampaignWalk?, isDone: @escaping @Sendable (CampaignRow) -> Bool, _ body: @escaping Change
    ) async throws -> PlanningStep? {
        let (owner, now, isTraced) = (attempts.owner, environment.now(), traces != nil)
        return try await database.write(turn: .patient) { connection -> PlanningStep? in
            if let walk, try !connection.campaigns.take(id, for: walk) {
                try connection.workAttempts.end(.plan(id), of: owner)
                return nil
            }
            let step = try Self.change(id, connection, isDone: isDone, now: now, isTraced: isTraced, body)
            if step.change == nil { try connection.workAttempts.stepped(.plan(id), isDone: step.isDone) }
            return step
        }
    }

    /// Fails a campaign that cannot be read, because it would block all others.
    private static func change(
        _ id: Int64, _ connection: any SQLConnection, isDone: (CampaignRow) -> Bool, now: Date, isTraced: Bool,
        _ body: Change
    ) throws -> PlanningStep {
        do {
            guard var row = try CampaignID(id).flatMap(connection.campaigns.find) else {
                throw StoreError.corrupted(table: "campaigns", key: String(id))
            }
            switch try body(connection, &row, now) {
            case .saved: return PlanningStep(isDone: isDone(row))
            case .closed(let ended): return PlanningStep(isDone: isDone(row), ended: ended)
            case .failed(let campaign): return PlanningStep(isDone: isDone(row), failed: campaign)
            case .outdated(let change): return PlanningStep(isDone: false, change: change)
            }
        } catch let error where error.meansUnreadable {
            let failed = try CampaignEnd(connection: connection, now: now).failCorrupt(id)
            guard let id = CampaignID(id) else { return PlanningStep(isDone: true, failed: failed) }
            let ending = DeliveryEnding(connection: connection, isTraced: isTraced)
            let ended = try ending.pending(of: id, devices: 0...Int64.max, readsCampaign: false) {
                try connection.deliveries.endPending(
                    of: id, devices: 0...Int64.max, as: .cancelled, reason: .campaignCancelled, now: now
                )
            }
            return PlanningStep(isDone: true, failed: failed, ended: ended)
        }
    }
}
