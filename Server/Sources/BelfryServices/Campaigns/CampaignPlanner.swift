import BelfryModel
import BelfryStore
import Foundation
import Logging

/// Writes a launched campaign's audience into the ledger, batch by batch, and closes what is done.
package struct CampaignPlanner: Sendable {
    /// Devices in one batch: what one worker leases at once.
    package static let batchSize = 1_000
    /// Devices that one step looks at: a rare audience among many devices must not hold the database up.
    static let scanSize: Int64 = 50_000
    /// Batches that one step cancels.
    static let sweepSize = 20

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

    /// Begins the scheduled campaigns whose time has come.
    package func startDue() async throws {
        let (owner, now) = (attempts.owner, environment.now())
        let ids = try await database.read { try $0.campaigns.due(for: owner, now: now) }
        for id in ids {
            let givenUp = try await attempts.step(.plan(id)) {
                let givenUp = try await database.write { connection in
                    try connection.stepped(.plan(id), isDone: true)
                    return try connection.startDue(id, now: now)
                }
                return (isDone: true, output: givenUp)
            }
            logger.tell(of: givenUp ?? nil)
        }
    }

    /// Plans one more batch of some campaign; false when every audience stands in the ledger.
    ///
    /// It waits for no disk: nothing of a batch is sent before somebody has claimed it, and that write takes the plan
    /// along to the disk.
    package func planNext() async throws -> Bool {
        let (owner, now) = (attempts.owner, environment.now())
        let next = try await database.read { try $0.campaigns.next(.planning, by: owner, now: now) }
        guard let id = next else { return false }
        let step = try await attempts.step(.plan(id)) {
            let step = try await database.write(turn: .unsynced) { connection -> PlanningStep? in
                guard try connection.campaigns.take(id, for: .planning) else {
                    try connection.workAttempts.end(.plan(id), of: owner)
                    return nil
                }
                return try connection.planNext(of: id, now: now)
            }
            return (isDone: step?.isDone ?? true, output: step)
        }
        // One that was set aside just now lets the next one go on.
        guard let step else { return true }
        logger.tell(of: step?.givenUp)
        return step != nil
    }

    /// Ends as cancelled what a cancelled campaign has pending and nobody is sending; false when nothing is left.
    ///
    /// - Parameter held: batches that this process is sending, whatever their leases say.
    package func sweepCancelled(except held: [Batch] = []) async throws -> Bool {
        let (owner, now) = (attempts.owner, environment.now())
        let next = try await database.read {
            try $0.batches.cancelledAndFree(of: nil, by: owner, now: now, limit: 1, except: held).first?.campaign
        }
        guard let campaign = next else { return false }
        _ = try await attempts.step(.plan(campaign.number)) {
            let isDone = try await database.write { connection in
                let batches = try connection.batches.cancelledAndFree(
                    of: campaign, now: now, limit: Self.sweepSize, except: held
                )
                for batch in batches {
                    // What lies in its centre cannot be cancelled any more: only its badge push was still to come.
                    try connection.deliveries.acceptPlaced(
                        of: batch, now: now, noting: Verdict.noteOfCancelledBadgePush
                    )
                    try connection.deliveries.cancelPending(of: batch, reason: .campaignCancelled, now: now)
                    try connection.batches.delete(batch)
                }
                let isDone = batches.count < Self.sweepSize
                try connection.stepped(.plan(campaign.number), isDone: isDone)
                return isDone
            }
            return (isDone: isDone, output: ())
        }
        return true
    }
}

/// What one step of planning came to.
struct PlanningStep: Sendable {
    /// Nothing is left to do.
    let isDone: Bool
    var givenUp: GivenUpCampaign?
}

extension Error {
    /// Nothing was wrong with the database, but with what stands in a row.
    var meansUnreadable: Bool {
        if case .corrupted? = self as? StoreError { return true }
        return self is DecodingError
    }
}

extension SQLConnection {
    /// From now on the campaign sends; its audience is who belongs to it as it is planned, of the devices known now.
    func begin(_ row: inout CampaignRow, now: Date) throws {
        guard !row.campaign.draft.kind.isInApp else { return try publish(&row, now: now) }
        row.campaign.status = .sending
        row.campaign.launchedAt = now
        row.scheduledAt = nil
        row.retriesFrom = now
        row.planEnd = try devices.highestID()
    }

    fileprivate func startDue(_ id: Int64, now: Date) throws -> GivenUpCampaign? {
        do {
            guard var row = try CampaignID(id).flatMap(campaigns.find), row.campaign.status == .scheduled else {
                return nil
            }
            try begin(&row, now: now)
            try campaigns.save(row)
            if row.campaign.draft.kind.isInApp { try inAppClocks.advance(app: row.app, now: now) }
            return nil
        } catch let error where error.meansUnreadable {
            return try giveUpUnreadable(id, now: now)
        }
    }

    fileprivate func planNext(of id: Int64, now: Date) throws -> PlanningStep {
        let step: PlanningStep
        do {
            step = try planReadable(id, now: now)
        } catch let error where error.meansUnreadable {
            step = PlanningStep(isDone: true, givenUp: try giveUpUnreadable(id, now: now))
        }
        try stepped(.plan(id), isDone: step.isDone)
        return step
    }

    private func planReadable(_ id: Int64, now: Date) throws -> PlanningStep {
        guard var row = try CampaignID(id).flatMap(campaigns.find) else {
            throw StoreError.corrupted(table: "campaigns", key: String(id))
        }
        var givenUp: GivenUpCampaign?
        do {
            try planBatch(of: &row, now: now)
        } catch let refusal as Refusal {
            givenUp = row.giveUp(because: refusal, now: now)
        }
        try campaigns.save(row)
        if row.isPlanned { try completeIfDone(row.id, now: now) }
        return PlanningStep(isDone: row.isPlanned, givenUp: givenUp)
    }

    fileprivate func planBatch(of row: inout CampaignRow, now: Date) throws {
        let audience = try audience(
            row.campaign.draft.audience, app: row.app, now: row.campaign.launchedAt ?? now
        )
        let scanEnd = min(row.planEnd, row.plannedTo + CampaignPlanner.scanSize)
        let planned = try deliveries.plan(
            row.id, app: row.app, audience: audience, devices: (row.plannedTo + 1)..<(scanEnd + 1),
            limit: CampaignPlanner.batchSize, now: now
        )
        if let planned {
            let batch = Batch(campaign: row.id, number: planned.range.lowerBound, devices: planned.range)
            try batches.insert(batch, availableAt: now)
        }
        let isFull = planned?.count == CampaignPlanner.batchSize
        row.plannedTo = isFull ? planned?.range.upperBound ?? scanEnd : scanEnd
        row.isPlanned = row.plannedTo >= row.planEnd
    }

    /// A campaign is completed when its audience stands in the ledger and no batch is left.
    func completeIfDone(_ id: CampaignID, now: Date) throws {
        guard try !batches.remain(of: id), var row = try campaigns.find(id), row.campaign.status == .sending,
            row.isPlanned
        else { return }
        row.campaign.status = .completed
        row.campaign.endedAt = now
        try campaigns.save(row)
    }
}
