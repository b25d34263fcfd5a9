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

    /// Refuses a further copy for a test (CAMP-7): it takes no room from campaigns, but has a bound, too.
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

    /// Refuses an edit with which the app's campaigns say too much. One that shortens what a campaign says is none of
    /// these, however much there was before this bound.
    private func checkEdit(_ draft: CampaignDraft, of row: CampaignRow) throws {
        let bytes = try JSONText.encode(draft).utf8.count
        guard try bytes > JSONText.encode(row.campaign.draft).utf8.count else { return }
        let isTest = row.campaign.deletedAt != nil
        let others = try connection.inAppCampaigns.living(app: row.app, isTest: isTest, except: row.id)
        try checkBytes(bytes, beside: others, isTest: isTest)
    }

    /// What is active is read for devices that fetch their messages (SEC-8).
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
        try checkEdit(draft, of: row)
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
