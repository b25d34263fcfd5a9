import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// An in-app campaign's message is published: at its launch, by an edit, and after a pause (CAMP-2, IAM-1, IAM-4).
/// Whoever does it saves the row, and then advances the app's clock, in one transaction.
struct InAppPublication {
    let connection: any SQLConnection
    let now: Date

    /// What the launch of an in-app campaign needs: room for it. One that is no draft any more has its place already.
    func checkLaunch(_ row: CampaignRow) throws {
        let isAmongThem = row.campaign.status != .draft
        let others = try connection.inAppCampaigns.livingCount(app: row.app) - (isAmongThem ? 1 : 0)
        guard others < InAppLimits.maximumActive else {
            throw ServiceError.conflict(
                message: """
                    The app already has \(InAppLimits.maximumActive) in-app campaigns that are active, paused or \
                    scheduled. Cancel or delete one first.
                    """
            )
        }
    }

    /// Refuses a further copy for a test (CAMP-7): it takes no room from campaigns, but has a bound, too.
    func checkTest(app: Int64) throws {
        guard try connection.inAppCampaigns.testCount(app: app) < InAppLimits.maximumActive else {
            throw ServiceError.conflict(
                message: """
                    The app already has \(InAppLimits.maximumActive) tests of in-app messages that have not ended. \
                    Each ends after a day at most; cancel the copies of earlier tests by their numbers, or wait.
                    """
            )
        }
    }

    /// From now on devices download the campaign's message, until it ends (CAMP-2, IAM-1).
    func publish(_ row: inout CampaignRow) throws {
        row.campaign.status = .active
        row.campaign.launchedAt = now
        row.scheduledAt = nil
        try plan(&row)
    }

    /// Publishes an edited message in place of the one before (IAM-4): its version grows, and its audience is walked
    /// anew. An edit that changes nothing is none.
    func publishAnew(
        _ row: inout CampaignRow, as edit: CampaignDraft, by verdict: CampaignCheckResult?, resetsDisplays: Bool
    ) throws {
        let before = row.campaign.draft
        let edited = edit.inPlace(of: before)
        try ServiceError.refuse(edited.errors)
        let draft = try CampaignCheckResult.checked(edited.draft, by: verdict, app: row.app, in: connection)
        guard try resetsDisplays || !draft.isSame(as: before) else { return }
        try draft.refuseEnd(by: now)
        row.campaign.draft = draft
        row.campaign.inAppVersion += 1
        // Displays of earlier versions do not count any more.
        if resetsDisplays { row.campaign.displayEpoch = row.campaign.inAppVersion }
        if row.campaign.status == .active { try plan(&row) }
    }

    /// Devices may download it again.
    func resume(with row: inout CampaignRow) throws {
        row.campaign.status = .active
        try plan(&row)
    }

    /// Lets the audience be walked, once more if need be: who is not in the ledger gets a row, and devices that can be
    /// woken are told (IAM-2).
    private func plan(_ row: inout CampaignRow) throws {
        row.plannedTo = 0
        row.planEnd = try connection.devices.highestID()
        row.isPlanned = false
    }
}

extension CampaignDraft {
    /// The draft as an edit after the launch: what that cannot change stays as it was where the draft leaves it out, and
    /// is an error where it does not. For whom a test is, no edit can say.
    func inPlace(of launched: CampaignDraft) -> (draft: CampaignDraft, errors: [FieldError]) {
        var draft = self
        var errors: [FieldError] = []
        if kind != launched.kind {
            errors.append(
                .notChangeable("kind", "A campaign that was launched keeps its kind, '\(launched.kind.rawValue)'."))
        }
        draft.installations = launched.installations
        draft.schedule = schedule ?? launched.schedule
        if draft.schedule != launched.schedule {
            errors.append(
                .notChangeable("schedule", "The campaign was already launched. Leave its schedule out or unchanged.")
            )
        }
        return (draft, errors)
    }

    /// Refuses an in-app message that would show no more.
    func refuseEnd(by now: Date) throws(ServiceError) {
        if let end = inAppEnd(by: now) { throw ServiceError.invalid(field: end.field, end.error) }
    }
}

extension FieldError {
    fileprivate static func notChangeable(_ field: String, _ message: String) -> FieldError {
        FieldError(field: field, error: ValueError(code: "notChangeable", message: message))
    }
}
