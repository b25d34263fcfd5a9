import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// What only in-app campaigns have: they are published, edited while they are active, and recalled (IAM-4, IAM-10).
extension CampaignService {
    /// Removes a draft, and takes a campaign that is over off the list. An in-app campaign ends with it: who has not
    /// downloaded its message never gets it, and the copies on devices go on until their own end (IAM-10). May be
    /// repeated, but a draft is gone for good.
    package func delete(_ id: CampaignID, app: AppRecord) async throws {
        defer { inAppWork.signal() }
        let now = environment.now()
        try await database.write { connection in
            var row = try connection.campaign(id, app: app.id)
            guard row.campaign.status != .draft else { return try connection.campaigns.delete(id) }
            guard row.campaign.deletedAt == nil else { return }
            let isOver = [.completed, .cancelled].contains(row.campaign.status)
            guard isOver || row.campaign.draft.kind.isInApp else {
                throw ServiceError.conflict(
                    message: "Campaign \(id) is \(row.campaign.status.rawValue): cancel it first."
                )
            }
            row.campaign.deletedAt = now
            if !isOver { connection.end(&row, because: "Deleted by an operator.", now: now) }
            try connection.campaigns.save(row)
            if row.isOfInApp { try connection.inAppClocks.advance(app: row.app, now: now) }
        }
    }

    /// Takes an in-app message back also from the devices that have it, as they come to ask (IAM-10). May be repeated,
    /// also after the campaign was cancelled or deleted.
    package func recall(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        defer { inAppWork.signal() }
        return try await change(id, app: app) { connection, row, now in
            guard row.campaign.draft.kind.isInApp else {
                throw ServiceError.conflict(
                    message: """
                        Campaign \(id) is of kind '\(row.campaign.draft.kind.rawValue)': only in-app messages can be \
                        taken back from devices.
                        """
                )
            }
            guard row.isOfInApp else {
                throw ServiceError.conflict(
                    message:
                        "Campaign \(id) is \(row.campaign.status.rawValue) and was never launched: no device has it."
                )
            }
            guard row.campaign.recalledAt == nil else { return }
            row.campaign.recalledAt = now
            // One that ended by itself stays as it ended; its devices are told all the same.
            guard row.campaign.status != .completed else { return connection.closeInApp(&row) }
            connection.end(&row, because: "Recalled by an operator.", now: now)
        }
    }
}

extension CampaignRow {
    /// Whether its message may be on devices, or was to be.
    var isOfInApp: Bool { campaign.draft.kind.isInApp && campaign.launchedAt != nil }

    /// Whether an edit is published at once.
    var isPublished: Bool { isOfInApp && (campaign.status == .active || campaign.status == .paused) }
}

extension SQLConnection {
    /// Publishes an edited message in place of the one before (IAM-4): its version grows, and its audience is walked
    /// anew. An edit that changes nothing is none.
    func publishAnew(_ row: inout CampaignRow, as edit: CampaignDraft, resetsDisplays: Bool, now: Date) throws {
        let before = row.campaign.draft
        var draft = edit
        try ServiceError.refuse(draft.takeFixedParts(of: before))
        draft = try checked(draft, app: row.app)
        guard draft != before || resetsDisplays else { return }
        try draft.refuseEnd(by: now)
        row.campaign.draft = draft
        row.campaign.inAppVersion += 1
        // Displays of earlier versions do not count any more.
        if resetsDisplays { row.campaign.displayEpoch = row.campaign.inAppVersion }
        if row.campaign.status == .active { try planInApp(&row) }
    }

    /// What the launch of an in-app campaign needs: a message that may still show, and room for it.
    func checkInAppLaunch(_ row: CampaignRow, now: Date) throws {
        try row.campaign.draft.refuseEnd(by: now)
        guard try inAppCampaigns.livingCount(app: row.app) < InAppLimits.maximumActive else {
            throw ServiceError.conflict(
                message: """
                    The app has \(InAppLimits.maximumActive) in-app campaigns that are active, paused or scheduled: \
                    cancel or delete one first.
                    """
            )
        }
    }

    /// Devices may download it again.
    func goOnInApp(with row: inout CampaignRow) throws {
        row.campaign.status = .active
        try planInApp(&row)
    }

    /// Nobody downloads it any more.
    fileprivate func end(_ row: inout CampaignRow, because reason: String, now: Date) {
        row.campaign.status = .cancelled
        row.campaign.statusReason = reason
        row.campaign.endedAt = row.campaign.endedAt ?? now
        closeInApp(&row)
    }
}

extension CampaignDraft {
    /// What an edit after the launch cannot change stays as it was, when the edit leaves it out; else it is refused.
    fileprivate mutating func takeFixedParts(of launched: CampaignDraft) -> [FieldRefusal] {
        var faults: [FieldRefusal] = []
        if kind != launched.kind {
            faults.append(
                .notChangeable("kind", "A campaign that was launched keeps its kind, '\(launched.kind.rawValue)'."))
        }
        schedule = schedule ?? launched.schedule
        if schedule != launched.schedule {
            faults.append(
                .notChangeable("schedule", "The campaign was launched already: leave its schedule out, or as it was.")
            )
        }
        return faults
    }

    fileprivate func refuseEnd(by now: Date) throws(ServiceError) {
        guard let inApp, inApp.hasEnded(by: now) else { return }
        throw ServiceError.invalid("inApp.endsAt", "passed", "The end of the message has passed: nobody would see it.")
    }
}

extension FieldRefusal {
    fileprivate static func notChangeable(_ field: String, _ message: String) -> FieldRefusal {
        FieldRefusal(field: field, refusal: Refusal(code: "notChangeable", message: message))
    }
}
