import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Campaigns from launch to end (CAMP-2). All of it may be repeated.
package struct CampaignLife: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment
    /// Tells planner and dispatcher that there is work.
    let work: AsyncSignal
    /// Tells whoever plans and closes in-app campaigns the same.
    let inAppWork: AsyncSignal

    private var writer: CampaignWriter { CampaignWriter(database: database, environment: environment) }

    /// Sends the campaign, or waits for its time (CAMP-5). An in-app campaign is active then, until it ends.
    ///
    /// - Parameter version: the draft that whoever launches has looked at; nil when nothing was looked at.
    package func launch(
        _ id: CampaignID, from version: DraftVersion? = nil, app: AppRecord
    ) async throws -> Campaign {
        defer { signal() }
        return try await writer.change(
            id, app: app,
            checking: { row in
                row.campaign.status == .draft ? row.campaign.draft : nil
            }
        ) { connection, row, result, now in
            switch row.campaign.status {
            case .scheduled, .sending, .completed, .paused, .active:
                return
            case .draft:
                // In the transaction that launches: an edit that comes between is never sent unseen.
                try version?.requireDraft(row.campaign)
                let start = CampaignStart(connection: connection, now: now)
                try start.check(row, by: result)
                try CampaignReview(connection: connection).requireApproval(of: row)
                if case .ahead(let date) = LaunchTime(row.campaign.draft.schedule, now: now) {
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
        try await writer.change(id, app: app) { _, row, _ in
            switch row.campaign.status {
            case .completed,
                .paused where !row.placesWhilePaused && row.campaign.reason?.cause != .quarantine:
                return
            case .sending, .scheduled, .active, .paused:
                row.campaign.status = .paused
                // What the server has paused goes on placing; what a person has paused does not (MC-16). Nor does it go
                // on when the work for which the server has paused it is retried (SEC-8).
                row.placesWhilePaused = false
                row.campaign.reason = StatusReason(
                    row.campaign.draft.kind.keepsMessage
                        ? "Paused by an operator. No message is placed either." : "Paused by an operator.",
                    cause: .person
                )
            case .draft, .cancelled:
                throw ServiceError.conflict(message: "Campaign \(id) is \(row.campaign.status.rawValue), not sending.")
            }
        }
    }

    /// Lets a paused campaign go on. One that was paused before its time waits for it again, or begins at once where it is
    /// past, and is refused what a launch would be (CAMP-5).
    package func resume(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        defer { signal() }
        return try await writer.change(
            id, app: app, checking: { row in row.campaign.isPausedBeforeLaunch ? row.campaign.draft : nil }
        ) { connection, row, result, now in
            switch row.campaign.status {
            case .sending, .scheduled, .completed, .active:
                return
            case .paused:
                if row.campaign.isPausedBeforeLaunch {
                    try CampaignStart(connection: connection, now: now).check(row, by: result)
                    try CampaignReview(connection: connection).requireApproval(of: row)
                }
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
        return try await writer.change(id, app: app) { connection, row, now in
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

    /// Removes a draft, and takes a campaign that is over off the list. An in-app campaign ends with it: who has not
    /// downloaded its message never gets it, and the copies on devices go on until their own end (IAM-10). May be
    /// repeated, but a draft is gone for good.
    ///
    /// - Parameter version: the draft that whoever deletes has looked at; nil when nothing was looked at.
    /// - Returns: what it was.
    @discardableResult
    package func delete(
        _ id: CampaignID, from version: DraftVersion? = nil, app: AppRecord
    ) async throws -> Campaign {
        defer { inAppWork.announce() }
        let now = environment.now()
        return try await database.write { connection in
            var row = try AppLookup(connection: connection, app: app.id).campaign(id)
            // In the transaction that deletes: nothing goes that nobody has seen, and no campaign that was launched.
            try version?.requireDraft(row.campaign)
            let campaign = row.campaign
            guard campaign.status != .draft else {
                try connection.campaigns.delete(id)
                return campaign
            }
            guard campaign.deletedAt == nil else { return campaign }
            let isOver = [.completed, .cancelled].contains(row.campaign.status)
            guard isOver || row.campaign.draft.kind.isInApp else {
                throw ServiceError.conflict(
                    message: "Campaign \(id) is \(row.campaign.status.rawValue). Cancel it first."
                )
            }
            row.campaign.deletedAt = now
            if !isOver { row.endInApp(because: "Deleted by an operator.", now: now) }
            try connection.campaigns.save(row)
            // What was said about it goes; what was sent, and who approved that, stays with the ledger.
            try connection.campaignComments.deleteAll(on: id)
            if row.isOfInApp { try connection.inAppRevisions.advance(app: row.app, now: now) }
            return campaign
        }
    }

    /// Takes an in-app message back also from the devices that have it, as they come to ask (IAM-10), or what a campaign
    /// has placed in message centers (MC-16). May be repeated, also after the campaign was cancelled or deleted.
    package func recall(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        defer { signal() }
        let caller = environment.uuid().uuidString
        let campaign = try await writer.change(id, app: app) { connection, row, now in
            let kind = row.campaign.draft.kind
            guard kind.isInApp || kind.keepsMessage else {
                throw ServiceError.conflict(
                    message: """
                        Campaign \(id) is of kind '\(kind.rawValue)'. Only in-app messages and messages in message \
                        centers can be recalled.
                        """
                )
            }
            guard row.campaign.launchedAt != nil else {
                throw ServiceError.conflict(
                    message:
                        "Campaign \(id) is \(row.campaign.status.rawValue) and was never launched: no device has it."
                )
            }
            if kind.keepsMessage {
                try MessageRecall.note(id, app: row.app, for: caller, now: now, in: connection)
            }
            guard row.campaign.recalledAt == nil else { return }
            row.campaign.recalledAt = now
            guard kind.isInApp else { return }
            // One that ended by itself stays as it ended; its devices are told all the same.
            guard row.campaign.status != .completed else { return row.closeInApp() }
            row.endInApp(because: "Recalled by an operator.", now: now)
        }
        guard campaign.draft.kind.keepsMessage else { return campaign }
        // From now on none is placed; those that are go before the call is answered, or later where it comes to no end.
        try await MessageRecall(database: database, environment: environment).run(id, for: caller)
        return campaign
    }

    /// Tells everybody who works on campaigns that there is work.
    func signal() {
        work.announce()
        inAppWork.announce()
    }
}

extension CampaignRow {
    /// Whether its message may be on devices, or was to be.
    var isOfInApp: Bool { campaign.draft.kind.isInApp && campaign.launchedAt != nil }

    /// Whether an edit is published at once.
    var isPublished: Bool { isOfInApp && (campaign.status == .active || campaign.status == .paused) }

    /// Nobody downloads it any more.
    fileprivate mutating func endInApp(because reason: String, now: Date) {
        campaign.status = .cancelled
        campaign.statusReason = reason
        campaign.endedAt = campaign.endedAt ?? now
        closeInApp()
    }

    /// Lets what the ledger of a campaign that is over has pending be ended, as its state says; after a recall, devices
    /// that have its message are told.
    mutating func closeInApp() {
        // One that has never begun has nobody in its ledger.
        guard campaign.launchedAt != nil else { return isPlanned = true }
        closedTo = 0
    }
}
