import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// Campaigns from draft to end (CAMP-2). Launch, pause, resume and cancel may be repeated.
package struct CampaignService: Sendable {
    /// What a list says of a campaign, as the layers above hand it on.
    package typealias Summary = CampaignSummary

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let tests: TestDelivery
    /// Tells planner and dispatcher that there is work.
    let work: AsyncSignal
    /// Tells whoever plans and closes in-app campaigns the same.
    let inAppWork: AsyncSignal

    package init(
        database: any SQLDatabase, environment: ServerEnvironment, tests: TestDelivery, work: AsyncSignal,
        inAppWork: AsyncSignal = AsyncSignal()
    ) {
        self.database = database
        self.environment = environment
        self.tests = tests
        self.work = work
        self.inAppWork = inAppWork
    }

    /// How many devices belong to an audience now (CAMP-3).
    package func countAudience(_ condition: Condition, app: AppRecord) async throws -> Int {
        try await AudienceCounter(database: database, environment: environment).count(condition, app: app)
    }

    /// - Parameter editor: who composes it; nil where nobody knows. Then nobody can approve it.
    package func create(_ draft: CampaignDraft, by editor: Author? = nil, app: AppRecord) async throws -> Campaign {
        let now = environment.now()
        return try await checking(app: app) { _ in
            draft
        } write: { result in
            // What is wrong is told without a turn at writing.
            _ = try result?.checked
            return try await database.write { connection in
                let draft = try CampaignCheckResult.checked(draft, by: result, app: app.id, in: connection)
                let id = try connection.campaigns.insert(draft, app: app.id, now: now)
                try CampaignHistory(connection: connection, now: now).begin(id, saying: draft, app: app.id, by: editor)
                return Campaign(id: id, app: app.code, draft: draft, status: .draft, createdAt: now)
            }
        }
    }

    /// Replaces the content of a draft, or publishes an in-app campaign anew (IAM-4).
    ///
    /// - Parameters:
    ///   - resetDisplays: whether displays are counted anew; before a launch there are none.
    ///   - editor: as with ``create(_:by:app:)``.
    package func update(
        _ id: CampaignID, with draft: CampaignDraft, resetDisplays: Bool = false, by editor: Author? = nil,
        app: AppRecord
    ) async throws -> Campaign {
        defer { inAppWork.signal() }
        return try await change(
            id, app: app, by: editor,
            checking: { row in
                if row.isPublished { return draft.inPlace(of: row.campaign.draft).draft }
                return row.campaign.status == .draft ? draft : nil
            }
        ) { connection, row, result, now in
            if row.isPublished {
                let present = row.campaign.inAppVersion
                try InAppPublication(connection: connection, now: now).publishAnew(
                    &row, as: draft, by: result, resetsDisplays: resetDisplays
                )
                guard row.campaign.inAppVersion != present else { return }
                return try CampaignReview(connection: connection).requireApproval(
                    of: row, resetsDisplays: resetDisplays
                )
            }
            guard row.campaign.status == .draft else {
                throw ServiceError.conflict(message: "Campaign \(id) is \(row.campaign.status.rawValue), not a draft.")
            }
            row.campaign.draft = try CampaignCheckResult.checked(draft, by: result, app: app.id, in: connection)
        }
    }

    /// Sends the campaign, or waits for its time (CAMP-5). An in-app campaign is active then, until it ends.
    package func launch(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        defer { signal() }
        return try await change(
            id, app: app,
            checking: { row in
                row.campaign.status == .draft ? row.campaign.draft : nil
            }
        ) { connection, row, result, now in
            switch row.campaign.status {
            case .scheduled, .sending, .completed, .paused, .active:
                return
            case .draft:
                let start = CampaignStart(connection: connection, now: now)
                try start.check(row, by: result)
                try CampaignReview(connection: connection).requireApproval(of: row)
                if let date = row.campaign.draft.schedule?.firstSend, date > now {
                    row.campaign.status = .scheduled
                    row.scheduledAt = date
                } else {
                    try start.begin(&row)
                }
            case .cancelled:
                throw ServiceError.conflict(message: "Campaign \(id) is \(row.campaign.status.rawValue).")
            }
        }
    }

    package func pause(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        try await change(id, app: app) { _, row, _ in
            switch row.campaign.status {
            case .completed,
                .paused where !row.placesWhilePaused:
                return
            case .sending, .scheduled, .active, .paused:
                row.campaign.status = .paused
                // What the server has paused goes on placing; what a person has paused does not (MC-16).
                row.placesWhilePaused = false
                row.campaign.statusReason =
                    row.campaign.draft.kind.keepsMessage
                    ? "Paused by an operator. No message is placed either." : "Paused by an operator."
            case .draft, .cancelled:
                throw ServiceError.conflict(message: "Campaign \(id) is \(row.campaign.status.rawValue), not sending.")
            }
        }
    }

    package func resume(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        defer { signal() }
        return try await change(id, app: app) { connection, row, now in
            switch row.campaign.status {
            case .sending, .scheduled, .completed, .active:
                return
            case .paused:
                try connection.workAttempts.release(.plan(id.number))
                try CampaignResumption(connection: connection, now: now).resume(&row)
            case .draft, .cancelled:
                throw ServiceError.conflict(message: "Campaign \(id) is \(row.campaign.status.rawValue), not paused.")
            }
        }
    }

    /// Ends a campaign; what was not sent yet ends as cancelled, what is under way keeps its own outcome. An in-app
    /// message that was downloaded stays until its own end (IAM-10).
    package func cancel(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        defer { signal() }
        return try await change(id, app: app) { connection, row, now in
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
            // What ended the process each time is not tried once more.
            if try connection.workAttempts.release(.plan(id.number)) { row.isPlanned = true }
            if row.isOfInApp { row.closeInApp() }
        }
    }

    /// Newest first; the cursor is the id to go on below.
    package func list(app: AppRecord, before cursor: Int64?, limit: Int) async throws -> [CampaignSummary] {
        try await database.read { try $0.campaigns.list(app: app.id, before: cursor, limit: limit) }
    }

    /// Changes a campaign by a draft that is checked before.
    ///
    /// - Parameters:
    ///   - editor: who edits what it says; nil where nobody does, or nobody knows who.
    ///   - draft: what is to be checked; nil when the campaign, as it stands, has no use for that.
    func change(
        _ id: CampaignID, app: AppRecord, by editor: Author? = nil,
        checking draft: @escaping @Sendable (CampaignRow) -> CampaignDraft?,
        _ body: @escaping @Sendable (any SQLConnection, inout CampaignRow, CampaignCheckResult?, Date) throws -> Void
    ) async throws -> Campaign {
        try await checking(app: app) { connection in
            draft(try AppLookup(connection: connection, app: app.id).campaign(id))
        } write: { result in
            try await change(id, app: app, by: editor) { connection, row, now in
                try body(connection, &row, result, now)
            }
        }
    }

    func change(
        _ id: CampaignID, app: AppRecord, by editor: Author? = nil,
        _ body: @escaping @Sendable (any SQLConnection, inout CampaignRow, Date) throws -> Void
    ) async throws -> Campaign {
        let now = environment.now()
        return try await database.write { connection in
            var row = try AppLookup(connection: connection, app: app.id).campaign(id)
            let before = row
            try body(connection, &row, now)
            try CampaignHistory(connection: connection, now: now).note(row, before: before, by: editor)
            guard row != before else { return row.campaign }
            try connection.campaigns.save(row)
            // What devices hold is compared with it (WIRE-9).
            if row.isOfInApp { try connection.inAppRevisions.advance(app: row.app, now: now) }
            return row.campaign
        }
    }

    func signal() {
        work.signal()
        inAppWork.signal()
    }
}
