import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Launches, pauses, resumes, cancels, deletes and recalls campaigns (CAMP-2). Each call may be repeated.
package struct CampaignLife: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment
    /// Signals work to planner and dispatcher.
    let work: AsyncSignal
    /// Signals work to the worker that plans and ends in-app campaigns.
    let inAppWork: AsyncSignal

    private var writer: CampaignWriter { CampaignWriter(database: database, environment: environment) }

    /// Starts sending the campaign, or schedules it for its time (CAMP-5). An in-app campaign becomes active then,
    /// until it ends.
    ///
    /// - Parameter version: the version of the draft that the caller has looked at; nil to skip that check.
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
                // In the transaction that launches, so that an edit in between is never sent unseen.
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
                // A pause by an operator also stops the placing of messages; a pause by the server does not (MC-16).
                // Nor does placing continue when the work for which the server paused the campaign is retried (SEC-8).
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

    /// Resumes a paused campaign. A campaign that was paused before its start is scheduled again, or starts now if its
    /// time has passed. It fails for the same reasons as a launch (CAMP-5).
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

    /// Cancels a campaign. Deliveries that were not sent yet end as cancelled; those in progress keep their own
    /// outcome. A downloaded in-app message stays on the device until its own end (IAM-10).
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
            // A planning step that ended the process each time is not tried again.
            if try connection.workAttempts.release(.plan(id.number)) { row.isPlanned = true }
            if row.isOfInApp { row.closeInApp() }
        }
    }

    /// Deletes a draft, or removes an ended campaign from the list. A deleted in-app campaign ends: devices that have
    /// not downloaded its message never get it, and copies on devices stay until their own end (IAM-10). The call may
    /// be repeated, except for a draft, which no longer exists.
    ///
    /// - Parameter version: the version of the draft that the caller has looked at; nil to skip that check.
    /// - Returns: the campaign as it was.
    @discardableResult
    package func delete(
        _ id: CampaignID, from version: DraftVersion? = nil, app: AppRecord
    ) async throws -> Campaign {
        defer { inAppWork.announce() }
        let now = environment.now()
        return try await database.write { connection in
            var row = try AppLookup(connection: connection, app: app.id).campaign(id)
            // In the transaction that deletes, so that no unseen change and no launched campaign is deleted.
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
            // Comments are deleted; versions and approvals of a campaign that was sent stay with its ledger.
            try connection.campaignComments.deleteAll(on: id)
            if row.isOfInApp { try connection.inAppRevisions.advance(app: row.app, now: now) }
            return campaign
        }
    }

    /// Recalls a campaign: an in-app message from the devices that have it, at their next sync (IAM-10), or placed
    /// messages from the message centers (MC-16). The call may be repeated, also after the campaign was cancelled or
    /// deleted.
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
            // A completed campaign keeps its status, and its devices are nevertheless told to remove the message.
            guard row.campaign.status != .completed else { return row.closeInApp() }
            row.endInApp(because: "Recalled by an operator.", now: now)
        }
        guard campaign.draft.kind.keepsMessage else { return campaign }
        // No more messages are placed from now on. Those that were are recalled before the call returns, or later if
        // that does not finish.
        try await MessageRecall(database: database, environment: environment).run(id, for: caller)
        return campaign
    }

    /// Signals work to all workers of campaigns.
    func signal() {
        work.announce()
        inAppWork.announce()
    }
}

extension CampaignRow {
    /// Whether the campaign's in-app message may be on devices, or would have been.
    var isOfInApp: Bool { campaign.draft.kind.isInApp && campaign.launchedAt != nil }

    /// Whether an edit is published when it is saved.
    var isPublished: Bool { isOfInApp && (campaign.status == .active || campaign.status == .paused) }

    /// Ends an in-app campaign: no device downloads its message any more.
    fileprivate mutating func endInApp(because reason: String, now: Date) {
        campaign.status = .cancelled
        campaign.statusReason = reason
        campaign.endedAt = campaign.endedAt ?? now
        closeInApp()
    }

    /// Starts the ending of the pending rows in an ended campaign's ledger, according to its status. After a recall,
    /// devices that have the message are told to remove it.
    mutating func closeInApp() {
        // A campaign that never started has no rows in its ledger.
        guard campaign.launchedAt != nil else { return isPlanned = true }
        closedTo = 0
    }
}
