import BelfryModel
import BelfryServerModel
import BelfryServices

/// Saves a change of a launched in-app message: publishes it at once, or stores it as a version to be published later
/// (CON-5).
struct ComposeChange {
    static let publishes = "publish"
    static let waits = "wait"

    let call: ConsoleCall
    let edited: CampaignVersionService.Edited
    /// The version that the editor began from.
    let version: DraftVersion
    let app: AppService.App
    /// A remark on the time zone of the typed times; may be empty.
    let remark: String

    private var address: String { call.link("/campaigns/\(edited.campaign.id)") }
    private var resetsDisplays: Bool { call.form.contains("anew") }

    func save(_ draft: CampaignDraft) async throws -> ConsoleResponse {
        if call.form["then"].utf8.elementsEqual(Self.publishes.utf8) { return try await publish(draft) }
        guard try resetsDisplays || DraftVersion(draft) != version else {
            return .redirect(address, notice: .done("Nothing was changed, so nothing was saved."))
        }
        let saved = try await call.services.campaignVersions.propose(
            draft, of: edited.campaign.id, resetDisplays: resetsDisplays, from: version,
            by: try call.principal().author, app: app
        )
        let next =
            app.settings.asksForApproval
            ? "Rehearse it, and ask for an approval." : "Publish it from its page, under Versions."
        return .redirect(
            address,
            notice: .done(
                "Version \(saved.number) was saved and waits. Devices do not have it yet. \(next)\(remark)"
            )
        )
    }

    private func publish(_ draft: CampaignDraft) async throws -> ConsoleResponse {
        let campaign: Campaign
        do {
            campaign = try await call.services.campaigns.drafts.update(
                edited.campaign.id, with: draft, resetDisplays: resetsDisplays, from: version,
                by: try call.principal().author, app: app
            )
        } catch ServiceError.conflict(code: "approvalRequired", message: _) {
            throw ServiceError.conflict(
                code: "approvalRequired",
                message: """
                    This app requires an approval. Save the change as a version that waits: another person approves it \
                    after a rehearsal, and it is published then.
                    """
            )
        }
        call.services.apps.v3InAppMessages.forget(app: app.id)
        let isNew = campaign.inAppVersion != edited.campaign.inAppVersion
        return .redirect(
            address,
            notice: .done(
                isNew
                    ? "The change is published. Devices get it when they sync.\(remark)"
                    : "Nothing was changed, so nothing was published."
            )
        )
    }
}
