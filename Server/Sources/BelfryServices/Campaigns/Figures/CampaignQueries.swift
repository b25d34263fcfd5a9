import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Reads campaigns, and how far they have come (CAMP-2, CON-7).
package struct CampaignQueries: Sendable {
    /// What a list says of a campaign, as the layers above hand it on.
    package typealias Summary = CampaignSummary

    let database: any SQLDatabase
    let environment: ServerEnvironment

    /// What a campaign says, without its figures.
    package func campaign(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        try await database.read { try AppLookup(connection: $0, app: app.id).campaign(id).campaign }
    }

    /// Newest first; the cursor is the id to go on below.
    package func list(app: AppRecord, before cursor: Int64?, limit: Int) async throws -> [CampaignSummary] {
        try await database.read { try $0.campaigns.list(app: app.id, before: cursor, limit: limit) }
    }

    package func report(_ id: CampaignID, app: AppRecord) async throws -> CampaignReport {
        try await database.read { connection in
            let campaign = try AppLookup(connection: connection, app: app.id).campaign(id).campaign
            return CampaignReport(
                campaign: campaign, counts: try connection.deliveries.counts(of: id),
                messageCenter: campaign.draft.kind.keepsMessage ? try connection.centerEngagement.sums(of: id) : nil,
                inApp: campaign.draft.kind.isInApp ? try connection.inAppDeviceStates.sums(of: id) : nil
            )
        }
    }

    package func standing(_ id: CampaignID, app: AppRecord) async throws -> CampaignStanding {
        try await database.read { connection in
            let row = try AppLookup(connection: connection, app: app.id).campaign(id)
            let kind = row.campaign.draft.kind
            let outcomes = try connection.deliveries.outcomes(of: id)
            let report = CampaignReport(
                campaign: row.campaign, counts: CampaignCounts(outcomes),
                messageCenter: kind.keepsMessage ? try connection.centerEngagement.sums(of: id) : nil,
                inApp: kind.isInApp ? try connection.inAppDeviceStates.sums(of: id) : nil
            )
            return CampaignStanding(report: report, outcomes: outcomes, isPlanned: row.isPlanned)
        }
    }

    /// The same for a page that is to come at once: of a large ledger it has the figures of the last summing-up, and
    /// not what devices told of messages in centers and of in-app messages (PERF-12).
    package func glance(_ id: CampaignID, app: AppRecord) async throws -> CampaignStanding {
        let stored = try await database.read { connection -> CampaignStanding? in
            let row = try AppLookup(connection: connection, app: app.id).campaign(id)
            guard try !Self.hasFewRows(id, in: connection), let summed = try connection.statistics.outcomes(of: id)
            else { return nil }
            let report = CampaignReport(
                campaign: row.campaign, counts: CampaignCounts(summed.outcomes), messageCenter: nil, inApp: nil
            )
            return CampaignStanding(
                report: report, outcomes: summed.outcomes, isPlanned: row.isPlanned, summedAt: summed.at
            )
        }
        if let stored { return stored }
        return try await standing(id, app: app)
    }

    /// Sends, displays and opens by the hour (CON-7); nil before a launch, and until a large ledger is summed up.
    package func hours(_ id: CampaignID, app: AppRecord) async throws -> CampaignHours? {
        let now = environment.now()
        return try await database.read { connection in
            let campaign = try AppLookup(connection: connection, app: app.id).campaign(id).campaign
            guard let launched = campaign.launchedAt else { return nil }
            let statistics = connection.statistics
            if try Self.hasFewRows(id, in: connection) {
                let sums = try statistics.sums(of: id.number, devices: 0...Int64.max)
                return CampaignHours(sums, from: launched, at: now)
            }
            guard let summed = try statistics.quarters(of: id) else { return nil }
            let quarters = summed.sums.reduce(into: [Int64: LedgerSums]()) { $0[$1.quarter] = $1.sums }
            return CampaignHours(quarters, from: launched, at: summed.at)
        }
    }

    /// Rows of a ledger that is summed up when somebody asks; a larger one was summed up before (ADM-7).
    private static let fewRows = 5_000

    /// Whether a campaign's ledger is summed up in a moment.
    static func hasFewRows(_ id: CampaignID, in connection: any SQLConnection) throws -> Bool {
        let last = try connection.statistics.lastDevice(of: id.number, after: 0, limit: fewRows)
        guard let last else { return true }
        return try connection.statistics.lastDevice(of: id.number, after: last, limit: 1) == nil
    }
}
