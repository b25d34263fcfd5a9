import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// Campaigns from draft to end (CAMP-2). Launch, pause, resume and cancel may be repeated.
package struct CampaignService: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment
    /// Tells planner and dispatcher that there is work.
    let work: WakeUp

    package init(database: any SQLDatabase, environment: ServerEnvironment, work: WakeUp) {
        self.database = database
        self.environment = environment
        self.work = work
    }

    package func create(_ draft: CampaignDraft, app: AppRecord) async throws -> Campaign {
        let draft = try CampaignCheck.checked(draft)
        let now = environment.now()
        return try await database.write { connection in
            try connection.checkAudience(draft.audience, app: app.id)
            let id = try connection.campaigns.insert(draft, app: app.id, now: now)
            return Campaign(id: id, app: app.code, draft: draft, status: .draft, createdAt: now)
        }
    }

    /// Replaces the content of a draft.
    package func update(_ id: CampaignID, with draft: CampaignDraft, app: AppRecord) async throws -> Campaign {
        let draft = try CampaignCheck.checked(draft)
        return try await change(id, app: app) { connection, row, _ in
            guard row.campaign.status == .draft else {
                throw ServiceError.conflict(message: "Campaign \(id) is \(row.campaign.status.rawValue), not a draft.")
            }
            try connection.checkAudience(draft.audience, app: app.id)
            row.campaign.draft = draft
        }
    }

    package func launch(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        defer { work.signal() }
        return try await change(id, app: app) { connection, row, now in
            switch row.campaign.status {
            case .sending, .completed, .paused:
                return
            case .draft, .scheduled:
                guard try connection.credentials.find(app: app.id, provider: .apns) != nil else {
                    throw ServiceError.conflict(message: "The app has no APNs credentials: PUT credentials/apns first.")
                }
                // What the audience refers to may have changed since the draft was saved.
                try connection.checkAudience(row.campaign.draft.audience, app: app.id)
                row.campaign.status = .sending
                row.campaign.launchedAt = now
                row.retriesFrom = now
                row.planEnd = try connection.devices.highestID()
            case .cancelled, .active:
                throw ServiceError.conflict(message: "Campaign \(id) is \(row.campaign.status.rawValue).")
            }
        }
    }

    package func pause(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        try await change(id, app: app) { _, row, _ in
            switch row.campaign.status {
            case .paused, .completed:
                return
            case .sending:
                row.campaign.status = .paused
                row.campaign.statusReason = "Paused by an operator."
            case .draft, .scheduled, .cancelled, .active:
                throw ServiceError.conflict(message: "Campaign \(id) is \(row.campaign.status.rawValue), not sending.")
            }
        }
    }

    package func resume(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        defer { work.signal() }
        return try await change(id, app: app) { connection, row, now in
            switch row.campaign.status {
            case .sending, .completed:
                return
            case .paused:
                row.campaign.status = .sending
                row.campaign.statusReason = nil
                row.watch = nil
                row.retriesFrom = now
                try connection.deliveries.hasten(id)
                try connection.batches.hasten(id, now: now)
                // What was under way at the pause may have been the last of it: then no batch is left to end with.
                guard row.isPlanned, try connection.batches.count(of: id) == 0 else { return }
                row.campaign.status = .completed
                row.campaign.endedAt = now
            case .draft, .scheduled, .cancelled, .active:
                throw ServiceError.conflict(message: "Campaign \(id) is \(row.campaign.status.rawValue), not paused.")
            }
        }
    }

    /// Ends a campaign; what was not sent yet ends as cancelled, what is under way keeps its own outcome.
    package func cancel(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        defer { work.signal() }
        return try await change(id, app: app) { _, row, now in
            switch row.campaign.status {
            case .cancelled, .completed:
                return
            case .draft, .scheduled:
                row.isPlanned = true
            case .sending, .paused, .active:
                break
            }
            row.campaign.status = .cancelled
            row.campaign.statusReason = "Cancelled by an operator."
            row.campaign.endedAt = now
        }
    }

    package func find(_ id: CampaignID, app: AppRecord) async throws -> (Campaign, CampaignCounts) {
        try await database.read { connection in
            let row = try connection.campaign(id, app: app.id)
            return (row.campaign, try connection.deliveries.counts(of: id))
        }
    }

    /// Newest first; the cursor is the id to go on below.
    package func list(app: AppRecord, before cursor: Int64?, limit: Int) async throws -> [Campaign] {
        try await database.read { connection in
            try connection.campaigns.list(app: app.id, before: cursor, limit: limit).map(\.campaign)
        }
    }

    private func change(
        _ id: CampaignID, app: AppRecord,
        _ body: @escaping @Sendable (any SQLConnection, inout CampaignRow, Date) throws -> Void
    ) async throws -> Campaign {
        let now = environment.now()
        return try await database.write { connection in
            var row = try connection.campaign(id, app: app.id)
            let before = row
            try body(connection, &row, now)
            if row != before { try connection.campaigns.save(row) }
            return row.campaign
        }
    }
}

extension SQLConnection {
    /// The campaign, if it is this app's.
    func campaign(_ id: CampaignID, app: Int64) throws -> CampaignRow {
        guard let row = try campaigns.find(id), row.app == app else {
            throw ServiceError.notFound(what: "campaign", id: id.description)
        }
        return row
    }

    func audience(_ condition: Condition, app: Int64) throws -> SQLFragment {
        try AudienceSQL(schema: attributes.schema(app: app), dialect: dialect).compile(condition)
    }

    func checkAudience(_ condition: Condition, app: Int64) throws {
        do {
            _ = try audience(condition, app: app)
        } catch let refusal as Refusal {
            throw ServiceError.invalid(field: "audience", refusal)
        }
    }
}
