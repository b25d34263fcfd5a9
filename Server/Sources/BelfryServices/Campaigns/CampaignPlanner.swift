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
    let logger: Logger

    package init(database: any SQLDatabase, environment: ServerEnvironment, logger: Logger) {
        self.database = database
        self.environment = environment
        self.logger = logger
    }

    /// Begins the scheduled campaigns whose time has come.
    package func startDue() async throws {
        let now = environment.now()
        let ids = try await database.read { try $0.campaigns.due(by: now) }
        for id in ids {
            let givenUp = try await database.write { connection -> GivenUpCampaign? in
                do {
                    guard var row = try CampaignID(id).flatMap(connection.campaigns.find),
                        row.campaign.status == .scheduled
                    else { return nil }
                    try connection.begin(&row, now: now)
                    try connection.campaigns.save(row)
                    if row.campaign.draft.kind.isInApp { try connection.inAppClocks.advance(app: row.app, now: now) }
                    return nil
                } catch let error where error.meansUnreadable {
                    return try connection.giveUpUnreadable(id, now: now)
                }
            }
            logger.tell(of: givenUp)
        }
    }

    /// Plans one more batch of some campaign; false when every audience stands in the ledger.
    ///
    /// It waits for no disk: nothing of a batch is sent before somebody has claimed it, and that write takes the plan
    /// along to the disk.
    package func planNext() async throws -> Bool {
        let now = environment.now()
        let (hasPlanned, givenUp) = try await database.write(turn: .unsynced) {
            connection -> (Bool, GivenUpCampaign?) in
            guard let id = try connection.campaigns.unplanned() else { return (false, nil) }
            do {
                return (true, try connection.planNext(of: id, now: now))
            } catch let error where error.meansUnreadable {
                return (true, try connection.giveUpUnreadable(id, now: now))
            }
        }
        logger.tell(of: givenUp)
        return hasPlanned
    }

    /// Ends as cancelled what a cancelled campaign has pending and nobody is sending; false when nothing is left.
    ///
    /// - Parameter held: batches that this process is sending, whatever their leases say.
    package func sweepCancelled(except held: [Batch] = []) async throws -> Bool {
        let now = environment.now()
        return try await database.write { connection in
            let batches = try connection.batches.cancelledAndFree(now: now, limit: Self.sweepSize, except: held)
            for batch in batches {
                // What lies in its centre cannot be cancelled any more: only its badge push was still to come.
                try connection.deliveries.acceptPlaced(of: batch, now: now, noting: Verdict.noteOfCancelledBadgePush)
                try connection.deliveries.cancelPending(of: batch, reason: .campaignCancelled, now: now)
                try connection.batches.delete(batch)
            }
            return batches.count == Self.sweepSize
        }
    }
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

    fileprivate func planNext(of id: Int64, now: Date) throws -> GivenUpCampaign? {
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
        return givenUp
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
