import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// How far a campaign has come: its figures of one moment, and why devices stand where they stand (CON-7).
package struct CampaignStanding: Hashable, Sendable {
    package let report: CampaignReport
    /// The largest first; they add up to the audience.
    package let outcomes: [DeliveryOutcome]
    /// Whether the whole audience has been selected.
    package let isPlanned: Bool
    /// When the figures were summed up; nil: just now.
    package let summedAt: Date?

    package init(report: CampaignReport, outcomes: [DeliveryOutcome], isPlanned: Bool, summedAt: Date? = nil) {
        self.report = report
        self.outcomes = outcomes
        self.isPlanned = isPlanned
        self.summedAt = summedAt
    }

    package var campaign: Campaign { report.campaign }

    /// Whether nothing changes any more but what devices tell later.
    package var isOver: Bool {
        [.completed, .cancelled].contains(campaign.status) && report.counts.pending == 0
    }
}

extension CampaignService {
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

    /// What a campaign says, without its figures.
    package func campaign(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        try await database.read { try AppLookup(connection: $0, app: app.id).campaign(id).campaign }
    }

    package func follow(_ id: CampaignID, app: AppRecord) -> CampaignFollower {
        CampaignFollower(id, app: app, of: self)
    }
}

/// Tells of a campaign as it goes on: each time that its figures have changed, until it is over.
package actor CampaignFollower {
    /// Looks after which it ends; whoever still wants to know begins anew, and is asked again who they are.
    static let maximumLooks = 150
    /// Seconds from one look to the next.
    static let interval: TimeInterval = 2
    /// A look that takes long is taken seldom: the pause is so many times as long.
    static let patience: Double = 10

    private let id: CampaignID
    private let app: AppRecord
    private let service: CampaignService
    private var last: CampaignStanding?
    private var looks = 0
    private var pause = interval

    init(_ id: CampaignID, app: AppRecord, of service: CampaignService) {
        self.id = id
        self.app = app
        self.service = service
    }

    /// The next news; nil when there will be none.
    package func next() async throws -> CampaignStanding? {
        while looks < Self.maximumLooks {
            if let last {
                guard !last.isOver else { return nil }
                try await service.environment.sleepUntil(service.environment.now().addingTimeInterval(pause))
            }
            looks += 1
            let start = service.environment.now()
            let standing = try await service.standing(id, app: app)
            pause = max(Self.interval, service.environment.now().timeIntervalSince(start) * Self.patience)
            guard standing != last else { continue }
            last = standing
            return standing
        }
        return nil
    }
}
