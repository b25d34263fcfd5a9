import BelfryModel
import BelfryStore
import CoreMetrics
import Foundation
import Logging

/// Writes a launched campaign's audience to the ledger, batch by batch, and ends the pending rows of cancelled
/// campaigns.
package struct CampaignPlanner: Sendable {
    /// The devices in one batch: what one worker leases at a time.
    package static let batchSize = 1_000
    /// The most devices that one step scans: an audience with few matches among many devices must not hold the database
    /// up.
    static let scanSize: Int64 = 50_000
    /// How often a step scans again because a device got another contact in the meantime.
    static let maximumLooks = 3
    /// The most batches that one step cancels.
    static let sweepSize = 20

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let attempts: WorkAttempts
    /// Records the sizes of planned audiences; nil if they are not measured.
    private let audiences: Recorder?
    /// Collects traces of the deliveries that it ends; nil without a collector.
    private let traces: TraceLog?
    let logger: Logger

    package init(
        database: any SQLDatabase, environment: ServerEnvironment, attempts: WorkAttempts, metrics: Metrics? = nil,
        traces: TraceLog? = nil, logger: Logger
    ) {
        audiences = metrics.map { Recorder(label: "belfry_campaign_audience_size", aggregate: true, factory: $0) }
        self.database = database
        self.environment = environment
        self.attempts = attempts
        self.traces = traces
        self.logger = logger
    }

    /// Starts the scheduled campaigns whose time has come.
    package func startDue() async throws {
        let (owner, now) = (attempts.owner, environment.now())
        let ids = try await database.read { try $0.campaigns.due(for: owner, now: now) }
        for id in ids {
            let failed = try await attempts.step(.plan(id)) {
                let failed = try await database.write { connection in
                    try connection.workAttempts.stepped(.plan(id), isDone: true)
                    return try CampaignStart(connection: connection, now: now).beginDue(id)
                }
                return (isDone: true, output: failed)
            }
            logger.report(failed ?? nil)
        }
    }

    /// Plans one more batch of some campaign; false if every audience is in the ledger.
    ///
    /// It does not wait for the disk: a batch is sent only after a worker has claimed it, and the claim's write also
    /// syncs the plan.
    package func planNext() async throws -> Bool {
        let (owner, now) = (attempts.owner, environment.now())
        let next = try await database.read { try $0.campaigns.next(.planning, by: owner, now: now) }
        guard let id = next else { return false }
        let step = try await attempts.step(.plan(id)) {
            let step = try await lookAndPlan(id, owner: owner, now: now)
            return (isDone: step?.isDone ?? true, output: step)
        }
        // The campaign was just quarantined; the next one can be planned.
        guard let step else { return true }
        logger.report(step?.failed)
        if step?.isDone == true, step?.failed == nil { await noteAudience(of: id) }
        return step != nil
    }

    /// Records the size of a planned audience: once for each campaign, after its batches are written.
    private func noteAudience(of campaign: Int64) async {
        guard let audiences, let id = CampaignID(campaign) else { return }
        // An audience that cannot be counted now is missing only in the metrics.
        guard let counts = try? await database.read({ try $0.figures.counts(of: id) }) else { return }
        audiences.record(counts.audience)
    }

    /// Scans for the next devices of the audience, and then writes them to the ledger.
    ///
    /// - Returns: nil if the campaign has nothing left to plan, or if another worker plans it.
    private func lookAndPlan(_ id: Int64, owner: String, now: Date) async throws -> PlanningStep? {
        var scanSize = Self.scanSize
        for number in 1...Self.maximumLooks {
            let look = try await database.ask(.planning) { [scanSize] asked in
                try AudienceScan.take(
                    of: id, at: { $0.campaign.launchedAt ?? now }, scanSize: scanSize,
                    limit: asked.connection.batches.cutAtOnce(Self.batchSize), asked
                )
            }
            let step = try await database.write(turn: .unsynced) { connection -> PlanningStep? in
                guard try connection.campaigns.take(id, for: .planning) else {
                    try connection.workAttempts.end(.plan(id), of: owner)
                    return nil
                }
                return try BatchPlanning(connection: connection, now: now).planNext(
                    of: id, look, isLast: number == Self.maximumLooks
                )
            }
            guard let step, let change = step.change else { return step }
            // Up to the device that changed only, so that the next scan is short.
            if change == .device { scanSize = 1 }
        }
        return PlanningStep(isDone: false)
    }

    /// Ends a cancelled campaign's pending rows that nobody is sending; false if nothing is left.
    ///
    /// - Parameters:
    ///   - held: batches that this process is sending, regardless of their leases.
    ///   - includesLeased: whether an expired lease means that its holder is dead; otherwise deliveries that another
    ///     worker is sending would lose their outcome.
    package func sweepCancelled(except held: [Batch] = [], includesLeased: Bool = true) async throws -> Bool {
        let (owner, now) = (attempts.owner, environment.now())
        let next = try await database.read {
            try $0.batches.cancelledAndFree(
                of: nil, by: owner, now: now, limit: 1, except: held, includesLeased: includesLeased
            ).first?.campaign
        }
        guard let campaign = next else { return false }
        let ended = try await attempts.step(.plan(campaign.number)) {
            let (isDone, rows) = try await database.write {
                [isTraced = traces != nil] connection -> (Bool, [EndedDeliveries]) in
                let ending = DeliveryEnding(connection: connection, isTraced: isTraced)
                let batches = try connection.batches.cancelledAndFree(
                    of: campaign, now: now, limit: Self.sweepSize, except: held, includesLeased: includesLeased
                )
                var ended: [EndedDeliveries] = []
                for batch in batches {
                    ended += try ending.pending(
                        of: batch.campaign, devices: batch.devices, listed: batch.listed
                    ) {
                        // A message that is in its message center can no longer be cancelled: only its badge push was
                        // still pending.
                        try connection.deliveries.acceptPlaced(
                            of: batch, now: now, noting: DeliveryResult.noteOfCancelledBadgePush
                        )
                        try connection.deliveries.cancelPending(of: batch, reason: .campaignCancelled, now: now)
                    }
                    try connection.batches.delete(batch)
                }
                let isDone = batches.count < Self.sweepSize
                try connection.workAttempts.stepped(.plan(campaign.number), isDone: isDone)
                return (isDone, ended)
            }
            return (isDone: isDone, output: rows)
        }
        if let ended { traces?.record(ended) }
        return true
    }
}

/// The result of one planning step.
struct PlanningStep: Sendable {
    /// The part of the data that has changed since the scan.
    enum Change: Sendable {
        /// The campaign, or its plan: another worker has written the next step.
        case campaign
        /// The contact of a device, the first one in the scan's result.
        case device
    }

    /// Whether nothing is left to plan.
    let isDone: Bool
    var failed: FailedCampaign?
    /// The deliveries that the step ended, if traces are collected.
    var ended: [EndedDeliveries] = []
    /// The change since the scan because of which nothing was written.
    var change: Change?
}

/// Writes the next batch of a campaign's audience to the ledger, or on a distributed database the next of each shard: in
/// a transaction of its own, after the scan that found it.
private struct BatchPlanning {
    let connection: any SQLConnection
    let now: Date

    func planNext(of id: Int64, _ look: AudienceScan, isLast: Bool) throws -> PlanningStep {
        let step: PlanningStep
        do {
            step = try planReadable(id, look, isLast: isLast)
        } catch let error where error.meansUnreadable {
            let failed = try CampaignEnd(connection: connection, now: now).failCorrupt(id)
            step = PlanningStep(isDone: true, failed: failed)
        }
        if step.change == nil { try connection.workAttempts.stepped(.plan(id), isDone: step.isDone) }
        return step
    }

    private func planReadable(_ id: Int64, _ look: AudienceScan, isLast: Bool) throws -> PlanningStep {
        guard var row = try CampaignID(id).flatMap(connection.campaigns.find) else {
            throw StoreError.corrupted(table: "campaigns", key: String(id))
        }
        if case .unreadable = look.finding { throw StoreError.corrupted(table: "campaigns", key: String(id)) }
        guard try look.stands(row) else { return PlanningStep(isDone: false, change: .campaign) }
        var failed: FailedCampaign?
        switch look.finding {
        case .slice(let slice):
            let slice = try slice.unmoved(app: row.app, isLast: isLast, in: connection)
            guard slice.reached > row.plannedTo || row.plannedTo >= row.planEnd else {
                return PlanningStep(isDone: false, change: .device)
            }
            try plan(slice, of: &row)
        case .rejected(let error): failed = row.fail(because: error, now: now)
        case .unreadable: break
        }
        try connection.campaigns.save(row)
        if row.isPlanned { try CampaignEnd(connection: connection, now: now).completeIfDone(row.id) }
        return PlanningStep(isDone: row.isPlanned, failed: failed)
    }

    private func plan(_ slice: AudienceSlice, of row: inout CampaignRow) throws {
        for members in try connection.batches.cut(slice.members, at: CampaignPlanner.batchSize) {
            let planned = try connection.deliveries.plan(row.id, app: row.app, members: members, now: now)
            guard planned != nil, let batch = connection.batches.batch(of: row.id, members) else { continue }
            try connection.batches.insert(
                batch, availableAt: now, placesMessages: row.campaign.draft.kind.keepsMessage
            )
        }
        row.plannedTo = max(slice.reached, row.plannedTo)
        row.isPlanned = row.plannedTo >= row.planEnd
    }
}
