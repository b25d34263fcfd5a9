import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// Campaigns from draft to end (CAMP-2). Launch, pause, resume and cancel may be repeated.
package struct CampaignService: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment
    let tests: TestDelivery
    /// Tells planner and dispatcher that there is work.
    let work: WakeUp
    /// Tells whoever plans and closes in-app campaigns the same.
    let inAppWork: WakeUp

    package init(
        database: any SQLDatabase, environment: ServerEnvironment, tests: TestDelivery, work: WakeUp,
        inAppWork: WakeUp = WakeUp()
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

    package func create(_ draft: CampaignDraft, app: AppRecord) async throws -> Campaign {
        let now = environment.now()
        return try await database.write { connection in
            let draft = try connection.checked(draft, app: app.id)
            let id = try connection.campaigns.insert(draft, app: app.id, now: now)
            return Campaign(id: id, app: app.code, draft: draft, status: .draft, createdAt: now)
        }
    }

    /// Replaces the content of a draft, or publishes an in-app campaign anew (IAM-4).
    ///
    /// - Parameter resetDisplays: whether displays are counted anew; before a launch there are none.
    package func update(
        _ id: CampaignID, with draft: CampaignDraft, resetDisplays: Bool = false, app: AppRecord
    ) async throws -> Campaign {
        defer { inAppWork.signal() }
        return try await change(id, app: app) { connection, row, now in
            if row.isPublished {
                return try connection.publishAnew(&row, as: draft, resetsDisplays: resetDisplays, now: now)
            }
            guard row.campaign.status == .draft else {
                throw ServiceError.conflict(message: "Campaign \(id) is \(row.campaign.status.rawValue), not a draft.")
            }
            row.campaign.draft = try connection.checked(draft, app: app.id)
        }
    }

    /// Sends the campaign, or waits for its time (CAMP-5). An in-app campaign is active then, until it ends.
    package func launch(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        defer { signal() }
        return try await change(id, app: app) { connection, row, now in
            switch row.campaign.status {
            case .scheduled, .sending, .completed, .paused, .active:
                return
            case .draft:
                try connection.checkLaunch(row, now: now)
                if let date = row.campaign.draft.schedule?.firstSend, date > now {
                    row.campaign.status = .scheduled
                    row.scheduledAt = date
                } else {
                    try connection.begin(&row, now: now)
                }
            case .cancelled:
                throw ServiceError.conflict(message: "Campaign \(id) is \(row.campaign.status.rawValue).")
            }
        }
    }

    package func pause(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        try await change(id, app: app) { _, row, _ in
            switch row.campaign.status {
            case .paused, .completed:
                return
            case .sending, .scheduled, .active:
                row.campaign.status = .paused
                row.campaign.statusReason = "Paused by an operator."
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
                try connection.resume(&row, now: now)
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
            if row.isOfInApp { connection.closeInApp(&row) }
        }
    }

    /// Newest first; the cursor is the id to go on below.
    package func list(app: AppRecord, before cursor: Int64?, limit: Int) async throws -> [Campaign] {
        try await database.read { connection in
            try connection.campaigns.list(app: app.id, before: cursor, limit: limit).map(\.campaign)
        }
    }

    func change(
        _ id: CampaignID, app: AppRecord,
        _ body: @escaping @Sendable (any SQLConnection, inout CampaignRow, Date) throws -> Void
    ) async throws -> Campaign {
        let now = environment.now()
        return try await database.write { connection in
            var row = try connection.campaign(id, app: app.id)
            let before = row
            try body(connection, &row, now)
            guard row != before else { return row.campaign }
            try connection.campaigns.save(row)
            // What devices hold is compared with it (WIRE-9).
            if row.isOfInApp { try connection.inAppClocks.advance(app: row.app, now: now) }
            return row.campaign
        }
    }

    func signal() {
        work.signal()
        inAppWork.signal()
    }
}

extension SQLConnection {
    /// The draft as it is saved: complete, within limits, and what it refers to is there.
    func checked(_ draft: CampaignDraft, app: Int64) throws -> CampaignDraft {
        try checkAudience(draft.audience, app: app)
        return try CampaignCheck.checked(
            draft, schema: attributes.schema(app: app), centers: messageCenters.all(app: app),
            allowsInAppScripts: apps.find(id: app)?.settings.allowsInAppScripts ?? false
        )
    }

    /// What a launch needs: credentials, unless devices fetch what it has for them, and what the draft refers to as it
    /// was when it was saved.
    fileprivate func checkLaunch(_ row: CampaignRow, now: Date) throws {
        let isFetched = row.campaign.draft.kind == .messageCenter || row.campaign.draft.kind.isInApp
        guard try isFetched || !credentials.all(app: row.app).isEmpty else {
            throw ServiceError.conflict(
                message: "The app has no credentials for any push service: PUT credentials/apns, fcm or webpush first."
            )
        }
        _ = try checked(row.campaign.draft, app: row.app)
        if let fault = row.campaign.draft.schedule?.launchFault(now: now) {
            throw ServiceError.invalid(field: "schedule.\(fault.field)", fault.refusal)
        }
        if let end = row.campaign.draft.messageCenter?.expiresAt, end <= now {
            throw ServiceError.invalid("messageCenter.expiresAt", "passed", "The message would have expired.")
        }
        if row.campaign.draft.kind.isInApp { try checkInAppLaunch(row, now: now) }
    }

    /// Goes on with a campaign that is paused.
    func resume(_ row: inout CampaignRow, now: Date) throws {
        row.campaign.statusReason = nil
        guard row.campaign.launchedAt != nil else {
            // It was paused before its time, which may have passed: then it begins at once.
            row.campaign.status = .scheduled
            row.scheduledAt = row.scheduledAt ?? now
            return
        }
        guard !row.campaign.draft.kind.isInApp else { return try goOnInApp(with: &row) }
        try goOn(with: &row, now: now)
    }

    /// Sends on after a pause: what waited for a retry is due at once, what waits for its recipient's time is not.
    fileprivate func goOn(with row: inout CampaignRow, now: Date) throws {
        row.campaign.status = .sending
        row.watch = nil
        row.retriesFrom = now
        try deliveries.hasten(row.id)
        try batches.hasten(row.id, now: now)
        // What was under way at the pause may have been the last of it: then no batch is left to end with.
        guard row.isPlanned, try !batches.remain(of: row.id) else { return }
        row.campaign.status = .completed
        row.campaign.endedAt = now
    }

    /// The campaign, if it is this app's.
    func campaign(_ id: CampaignID, app: Int64) throws -> CampaignRow {
        guard let row = try campaigns.find(id), row.app == app else {
            throw ServiceError.notFound(what: "campaign", id: id.description)
        }
        return row
    }
}
