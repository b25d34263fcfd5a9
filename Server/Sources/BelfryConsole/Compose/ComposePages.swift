import BelfryModel
import BelfryServerModel
import BelfryServices
import Hummingbird

/// Composing a campaign, and editing its draft (CON-5).
enum ComposePages {
    static let routes: [ConsoleRoute] = [
        .get("/apps/{app}/campaigns/new", .app(.compose), new),
        .post("/apps/{app}/campaigns/new", .app(.compose), audit: nil, create).keepingForm,
        .post("/apps/{app}/campaigns/preview", .app(.compose), audit: nil, ComposePreviewPages.preview),
        .post("/apps/{app}/campaigns/preview/page", .app(.compose), audit: nil, ComposePreviewPages.page),
        .get("/apps/{app}/campaigns/{id}/edit", .app(.compose), edit),
        .post("/apps/{app}/campaigns/{id}/edit", .app(.compose), audit: "campaign.update", save).keepingForm,
    ]

    private static func new(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let desk = try await ComposeDesk(call)
        let kind = CampaignKind(rawValue: call.query["kind"]) ?? .push
        return .page(desk.page(ComposeForm(ComposeForm.empty(kind), desk.basis)))
    }

    private static func create(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let desk = try await ComposeDesk(call)
        let form = ComposeForm(call.form, kind: CampaignKind(rawValue: call.form["kind"]) ?? .push)
        do {
            let draft = try form.draft(over: nil, desk.basis)
            let campaign = try await call.services.campaigns.drafts.create(
                draft, by: try call.principal().author, app: desk.app
            )
            try await call.note("campaign.create", to: campaign.id.description)
            return .redirect(
                call.link("/campaigns/\(campaign.id)"),
                notice: .done("The draft was saved. Look at it, try it, launch it.")
            )
        } catch {
            return try desk.refused(form, error)
        }
    }

    private static func edit(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let edited = try await edited(call)
        let desk = try await ComposeDesk(call, editing: edited, from: try DraftVersion(edited.draft))
        return .page(desk.page(ComposeForm(edited.draft, desk.basis)))
    }

    private static func save(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let edited = try await edited(call)
        let version = DraftVersion(text: call.form["version"])
        let form = ComposeForm(call.form, kind: edited.draft.kind)
        guard try version == DraftVersion(edited.draft) else { return try await conflict(form, call) }
        let desk = try await ComposeDesk(call, editing: edited, from: version)
        do {
            let draft = try form.draft(over: edited.draft, desk.basis)
            if edited.isPublished {
                return try await ComposeChange(call: call, edited: edited, version: version, app: desk.app).save(draft)
            }
            _ = try await call.services.campaigns.drafts.save(
                edited.campaign.id, as: draft, from: version, by: try call.principal().author, app: desk.app
            )
            return .redirect(call.link("/campaigns/\(edited.campaign.id)"), notice: .done("The draft was saved."))
        } catch ServiceError.conflict(code: "draftChanged", message: _) {
            return try await conflict(form, call)
        } catch {
            return try desk.refused(form, error)
        }
    }

    /// The form as it was typed, beside what somebody else has saved: it goes on from the present state, so that whoever
    /// has been told and saves again replaces that.
    private static func conflict(_ form: ComposeForm, _ call: ConsoleCall) async throws -> ConsoleResponse {
        let now = try await edited(call)
        let desk = try await ComposeDesk(call, editing: now, from: try DraftVersion(now.draft))
        return .pageWithStatus(desk.page(form, conflict: true), .conflict)
    }

    /// The draft that the address names, or the in-app message that goes on.
    private static func edited(_ call: ConsoleCall) async throws -> CampaignVersionService.Edited {
        let edited = try await call.services.campaignVersions.edited(try call.campaign(), app: try call.inApp())
        guard edited.campaign.status == .draft || edited.isPublished else {
            throw ServiceError.conflict(
                message: """
                    This campaign is \(edited.campaign.status.rawValue). Only drafts, and in-app messages that go on, are \
                    edited. Duplicate it.
                    """
            )
        }
        return edited
    }
}
