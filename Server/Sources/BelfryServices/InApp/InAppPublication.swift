import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// Publishes an in-app campaign's message: at its launch, by an edit, and after a pause (CAMP-2, IAM-1, IAM-4). The
/// caller saves the row and then advances the app's clock, in one transaction.
struct InAppPublication {
    let connection: any SQLConnection
    let now: Date

    /// Throws if the app has no room for the launch of an in-app campaign. A campaign that is no longer a draft already
    /// has its place.
    func checkLaunch(_ row: CampaignRow) throws {
        let others = try connection.inAppCampaigns.living(app: row.app, isTest: false, except: row.id)
        guard others.count < InAppLimits.maximumActive else {
            throw ServiceError.conflict(
                message: """
                    The app already has \(InAppLimits.maximumActive) in-app campaigns that are active, paused or \
                    scheduled. Cancel or delete one first.
                    """
            )
        }
        try checkBytes(JSONText.encode(row.campaign.draft).utf8.count, beside: others, isTest: false)
    }

    /// Throws if the app has no room for another test copy (CAMP-7). Tests take no room from campaigns, but have a
    /// limit, too.
    func checkTest(_ draft: CampaignDraft, app: Int64) throws {
        let others = try connection.inAppCampaigns.living(app: app, isTest: true)
        guard others.count < InAppLimits.maximumActive else {
            throw ServiceError.conflict(
                message: """
                    The app already has \(InAppLimits.maximumActive) tests of in-app messages that have not ended. \
                    Each ends after a day at most; cancel the copies of earlier tests by their numbers, or wait.
                    """
            )
        }
        try checkBytes(JSONText.encode(draft).utf8.count, beside: others, isTest: true)
    }

    /// Throws if an edit makes the app's campaigns too long in total. An edit that shortens the campaign is always
    /// allowed, even if an older program allowed more.
    private func checkEdit(_ draft: CampaignDraft, of row: CampaignRow) throws {
        let bytes = try JSONText.encode(draft).utf8.count
        guard try bytes > JSONText.encode(row.campaign.draft).utf8.count else { return }
        let isTest = row.campaign.deletedAt != nil
        let others = try connection.inAppCampaigns.living(app: row.app, isTest: isTest, except: row.id)
        try checkBytes(bytes, beside: others, isTest: isTest)
    }

    /// Active campaigns are read for devices that fetch their messages (SEC-8).
    private func checkBytes(_ bytes: Int, beside others: LivingInAppCampaigns, isTest: Bool) throws(ServiceError) {
        let sum = others.bytes + bytes
        guard sum > InAppLimits.maximumActiveBytes else { return }
        let what =
            isTest
            ? "tests of in-app messages that have not ended" : "in-app campaigns that are active, paused or scheduled"
        throw ServiceError.conflict(
            message: """
                With this, the app's \(what) have \(sum) bytes of content together, of which \(bytes) are this one's; \
                \(InAppLimits.maximumActiveBytes) are allowed. Cancel one of them, or make this one shorter.
                """
        )
    }

    /// Makes the campaign's message available for download until the campaign ends (CAMP-2, IAM-1).
    func publish(_ row: inout CampaignRow) throws {
        row.campaign.status = .active
        row.campaign.launchedAt = now
        row.scheduledAt = nil
        try plan(&row)
    }

    /// Replaces the published message by an edited one (IAM-4): its version grows, and its audience is walked again. An
    /// edit without a change does nothing.
    func publishAnew(
        _ row: inout CampaignRow, as edit: CampaignDraft, by result: CampaignCheckResult?, resetsDisplays: Bool
    ) throws {
        let before = row.campaign.draft
        let edited = edit.inPlace(of: before)
        try ServiceError.reject(edited.errors)
        let draft = try CampaignCheckResult.checked(edited.draft, by: result, app: row.app, in: connection)
        guard try resetsDisplays || !draft.isSame(as: before) else { return }
        try draft.rejectEnd(by: now)
        try checkEdit(draft, of: row)
        row.campaign.draft = draft
        row.campaign.inAppVersion += 1
        // Displays of earlier versions no longer count.
        if resetsDisplays { row.campaign.displayEpoch = row.campaign.inAppVersion }
        if row.campaign.status == .active { try plan(&row) }
    }

    /// Makes the message available for download again.
    func resume(with row: inout CampaignRow) throws {
        row.campaign.status = .active
        try plan(&row)
    }

    /// Starts a walk over the audience, or repeats it: devices that are not in the ledger get a row, and devices that
    /// can be woken get a silent push (IAM-2).
    private func plan(_ row: inout CampaignRow) throws {
        row.plannedTo = 0
        row.planEnd = try connection.devices.highestID()
        row.isPlanned = false
    }
}

extension CampaignDraft {
    /// The draft as an edit after the launch. Fields that cannot change keep their value if the draft omits them, and
    /// are errors if the draft changes them. The devices of a test cannot be edited.
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

    /// Throws if the in-app message would never be shown, because its end has passed.
    func rejectEnd(by now: Date) throws(ServiceError) {
        if let end = inAppEnd(by: now) { throw ServiceError.invalid(field: end.field, end.error) }
    }
}

extension FieldError {
    fileprivate static func notChangeable(_ field: String, _ message: String) -> FieldError {
        FieldError(field: field, error: ValueError(code: "notChangeable", message: message))
    }
}
