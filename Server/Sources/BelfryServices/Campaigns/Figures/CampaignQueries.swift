import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Reads campaigns and their figures (CAMP-2, CON-7).
package struct CampaignQueries: Sendable {
    /// The list entry of a campaign, as the layers above use it.
    package typealias Summary = CampaignSummary

    let database: any SQLDatabase
    let environment: ServerEnvironment

    /// A campaign without its figures.
    package func campaign(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        try await database.read { try AppLookup(connection: $0, app: app.id).campaign(id).campaign }
    }

    /// A page of campaigns, newest first, with ids below the cursor.
    package func list(app: AppRecord, before cursor: Int64?, limit: Int) async throws -> [CampaignSummary] {
        try await database.read { try $0.campaigns.list(app: app.id, before: cursor, limit: limit) }
    }

    package func report(_ id: CampaignID, app: AppRecord) async throws -> CampaignReport {
        try await database.read { connection in
            let row = try AppLookup(connection: connection, app: app.id).campaign(id)
            let campaign = row.campaign
            return CampaignReport(
                campaign: campaign,
                counts: try row.ledgerRemovedAt == nil
                    ? connection.figures.counts(of: id)
                    : CampaignCounts(Self.ledgerOutcomes(row, in: connection).outcomes),
                messageCenter: campaign.draft.kind.keepsMessage ? try connection.centerEngagement.sums(of: id) : nil,
                inApp: campaign.draft.kind.isInApp ? try connection.inAppDeviceStates.sums(of: id) : nil
            )
        }
    }

    package func standing(_ id: CampaignID, app: AppRecord) async throws -> CampaignStanding {
        try await database.read { connection in
            try Self.standing(AppLookup(connection: connection, app: app.id).campaign(id), in: connection)
        }
    }

    static func standing(_ row: CampaignRow, in connection: any SQLConnection) throws -> CampaignStanding {
        let (id, kind) = (row.id, row.campaign.draft.kind)
        let (outcomes, summedAt) = try ledgerOutcomes(row, in: connection)
        let report = CampaignReport(
            campaign: row.campaign, counts: CampaignCounts(outcomes),
            messageCenter: kind.keepsMessage ? try connection.centerEngagement.sums(of: id) : nil,
            inApp: kind.isInApp ? try connection.inAppDeviceStates.sums(of: id) : nil
        )
        return CampaignStanding(report: report, outcomes: outcomes, isPlanned: row.isPlanned, summedAt: summedAt)
    }

    /// The sums of the ledger (LED-3). For a removed ledger the last sums and their time.
    private static func ledgerOutcomes(
        _ row: CampaignRow, in connection: any SQLConnection
    ) throws -> (outcomes: [DeliveryOutcome], summedAt: Date?) {
        guard row.ledgerRemovedAt != nil else { return (try connection.figures.outcomes(of: row.id), nil) }
        let summed = try connection.statistics.outcomes(of: row.id)
        return (summed?.outcomes ?? [], summed?.at)
    }

    /// The campaign with the figures of the last summation, without engagement in message centers and with in-app
    /// messages; nil if there was no summation yet.
    static func standingSummedBefore(
        _ row: CampaignRow, in connection: any SQLConnection
    ) throws -> CampaignStanding? {
        guard let summed = try connection.statistics.outcomes(of: row.id) else { return nil }
        let report = CampaignReport(
            campaign: row.campaign, counts: CampaignCounts(summed.outcomes), messageCenter: nil, inApp: nil
        )
        return CampaignStanding(
            report: report, outcomes: summed.outcomes, isPlanned: row.isPlanned, summedAt: summed.at
        )
    }

    /// Sends, displays and opens by the hour (CON-7); nil before a launch, and until a large ledger is summed up.
    package func hours(_ id: CampaignID, app: AppRecord) async throws -> CampaignHours? {
        let now = environment.now()
        return try await database.read { connection in
            let row = try AppLookup(connection: connection, app: app.id).campaign(id)
            guard row.campaign.launchedAt != nil else { return nil }
            return try Self.hours(row, isSmall: Self.hasFewRows(row, in: connection), at: now, in: connection)
        }
    }

    /// - Parameter isSmall: whether the ledger is small enough to be summed up now.
    static func hours(
        _ row: CampaignRow, isSmall: Bool, at now: Date, in connection: any SQLConnection
    ) throws -> CampaignHours? {
        guard let launched = row.campaign.launchedAt else { return nil }
        let statistics = connection.statistics
        if isSmall {
            let sums = try statistics.sums(
                of: row.id.number, launched: launched, now: now, devices: 0...Int64.max
            )
            return CampaignHours(sums, from: launched, at: now)
        }
        guard let summed = try statistics.quarters(of: row.id) else { return nil }
        let quarters = summed.sums.reduce(into: [Int64: LedgerSums]()) { $0[$1.quarter] = $1.sums }
        return CampaignHours(quarters, from: launched, at: summed.at)
    }

    /// The most rows of a ledger that is summed up on request; a larger one is summed up in advance (ADM-7).
    private static let fewRows = 5_000

    /// Whether a campaign's ledger exists and is small enough to be summed up on request.
    static func hasFewRows(_ row: CampaignRow, in connection: any SQLConnection) throws -> Bool {
        guard row.ledgerRemovedAt == nil else { return false }
        let last = try connection.statistics.lastDevice(of: row.id.number, after: 0, limit: fewRows)
        guard let last else { return true }
        return try connection.statistics.lastDevice(of: row.id.number, after: last, limit: 1) == nil
    }
}
