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
    let logger: Logger

    package init(database: any SQLDatabase, environment: ServerEnvironment, logger: Logger) {
        self.database = database
        self.environment = environment
        self.logger = logger
    }

    /// Completes the campaigns whose end has come.
    package func completeEnded() async throws {
        let now = environment.now()
        let ids = try await database.read { try $0.inAppCampaigns.ended(by: now) }
        for id in ids {
            try await change(id) { connection, row, now in
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
        try await step {
            try $0.campaigns.unplannedInApp(isTaken: $1)
        } body: { connection, row, now in
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
        try await step {
            try $0.campaigns.closing(isTaken: $1)
        } body: { connection, row, now in
            try connection.closeSlice(of: &row, now: now)
            try connection.campaigns.save(row)
            return nil
        }
    }

    /// When there is something to do again, as far as it is known.
    func nextDate() async throws -> Date? {
        try await database.read { connection in
            [try connection.inAppCampaigns.nextEnd(), try connection.campaigns.nextScheduled()].compactMap(\.self).min()
        }
    }

    private typealias Change = @Sendable (any SQLConnection, inout CampaignRow, Date) throws -> GivenUpCampaign?

    /// - Parameter find: is told whether the campaign is taken, and not only looked for.
    /// - Returns: whether there was a campaign to find.
    private func step(
        find: @escaping @Sendable (_ connection: any SQLConnection, _ isTaken: Bool) throws -> Int64?,
        body: @escaping Change
    ) async throws -> Bool {
        // Most of the time there is nothing to do, and to see that takes no turn of the writer.
        guard try await database.read({ try find($0, false) }) != nil else { return false }
        let now = environment.now()
        let (isFound, givenUp) = try await database.write(turn: .patient) { connection -> (Bool, GivenUpCampaign?) in
            guard let id = try find(connection, true) else { return (false, nil) }
            return (true, try Self.change(id, connection, now: now, body))
        }
        logger.tell(of: givenUp)
        return isFound
    }

    private func change(_ id: Int64, _ body: @escaping Change) async throws {
        let now = environment.now()
        logger.tell(of: try await database.write { try Self.change(id, $0, now: now, body) })
    }

    /// One that cannot be read is set aside, or it would hold up all others.
    private static func change(
        _ id: Int64, _ connection: any SQLConnection, now: Date, _ body: Change
    ) throws -> GivenUpCampaign? {
        do {
            guard var row = try CampaignID(id).flatMap(connection.campaigns.find) else {
                throw StoreError.corrupted(table: "campaigns", key: String(id))
            }
            return try body(connection, &row, now)
        } catch let error where error.meansUnreadable {
            let givenUp = try connection.giveUpUnreadable(id, now: now)
            if let id = CampaignID(id) {
                try connection.deliveries.endPending(
                    of: id, devices: 0...Int64.max, as: .cancelled, reason: .campaignCancelled, now: now
                )
            }
            return givenUp
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
