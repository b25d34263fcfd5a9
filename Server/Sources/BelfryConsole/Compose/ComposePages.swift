import BelfryModel
import BelfryServerModel
import BelfryServices
import Hummingbird

/// Composing a campaign, and editing its draft (CON-5).
enum ComposePages {
    static let routes: [ConsoleRoute] = [
        .get("/apps/{app}/campaigns/new", .app(.compose), new),
        .post("/apps/{app}/campaigns/new", .app(.compose), audit: nil, create),
        .post("/apps/{app}/campaigns/preview", .app(.compose), audit: nil, ComposePreviewPages.preview),
        .post("/apps/{app}/campaigns/preview/page", .app(.compose), audit: nil, ComposePreviewPages.page),
        .get("/apps/{app}/campaigns/{id}/edit", .app(.compose), edit),
        .post("/apps/{app}/campaigns/{id}/edit", .app(.compose), audit: "campaign.update", save),
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
            let campaign = try await call.services.campaigns.create(
                draft, by: try call.principal().author, app: desk.app
            )
            try await call.audit("campaign.create", campaign.id)
            return .redirect(
                call.link("/campaigns/\(campaign.id)"),
                notice: .done("The draft was saved. Look at it, try it, launch it.")
            )
        } catch {
            return try desk.refused(form, error)
        }
    }

    private static func edit(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let campaign = try await draft(call)
        let version = try DraftVersion(campaign.draft)
        let desk = try await ComposeDesk(call, editing: campaign.id, from: version)
        return .page(desk.page(ComposeForm(campaign.draft, desk.basis)))
    }

    private static func save(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let campaign = try await draft(call)
        let present = try DraftVersion(campaign.draft)
        let version = DraftVersion(text: call.form["version"])
        let form = ComposeForm(call.form, kind: campaign.draft.kind)
        guard version == present else {
            // The form goes on from the draft as it is now: whoever saves again has been told.
            return try await conflict(form, call, campaign.id, from: present)
        }
        let desk = try await ComposeDesk(call, editing: campaign.id, from: version)
        do {
            let draft = try form.draft(over: campaign.draft, desk.basis)
            _ = try await call.services.campaigns.saveDraft(
                campaign.id, as: draft, from: version, by: try call.principal().author, app: desk.app
            )
            return .redirect(call.link("/campaigns/\(campaign.id)"), notice: .done("The draft was saved."))
        } catch ServiceError.conflict(code: "draftChanged", message: _) {
            let now = try DraftVersion(try await Self.draft(call).draft)
            return try await conflict(form, call, campaign.id, from: now)
        } catch {
            return try desk.refused(form, error)
        }
    }

    private static func conflict(
        _ form: ComposeForm, _ call: ConsoleCall, _ id: CampaignID, from version: DraftVersion
    ) async throws -> ConsoleResponse {
        let desk = try await ComposeDesk(call, editing: id, from: version)
        return .pageWithStatus(desk.page(form, conflict: true), .conflict)
    }

    /// The draft that the address names.
    private static func draft(_ call: ConsoleCall) async throws -> Campaign {
        let campaign = try await call.services.campaigns.campaign(try call.campaign(), app: try call.inApp())
        guard campaign.status == .draft else {
            throw ServiceError.conflict(
                message: "This campaign is \(campaign.status.rawValue), and only drafts are edited. Duplicate it.")
        }
        return campaign
    }
}

/// What the form needs of the app.
struct ComposeDesk: Sendable {
    let app: AppService.App
    let basis: ComposeBasis
    private let place: ComposePlace

    init(_ call: ConsoleCall, editing campaign: CampaignID? = nil, from version: DraftVersion? = nil) async throws {
        app = try call.inApp()
        basis = ComposeBasis(
            schema: try await call.services.apps.attributes(of: app), zone: AppZone(app.settings),
            centers: try await call.services.messageCenters.all(of: app)
        )
        place = ComposePlace(
            base: call.link("/campaigns"), campaign: campaign, version: version?.text ?? "",
            formToken: try call.signedIn().formToken
        )
    }

    func page(
        _ form: ComposeForm, _ problems: ComposeProblems = ComposeProblems(), conflict: Bool = false
    ) -> Page {
        let model = ComposeModel(form, problems, basis, place: place, conflict: conflict)
        return Page(model.heading, template: "compose", section: .campaigns, model: model)
    }

    /// The form as it was sent, with what is wrong at each field; errors that are of no field are thrown on.
    func refused(_ form: ComposeForm, _ error: any Error) throws -> ConsoleResponse {
        guard let problems = form.problems(error) else { throw error }
        return .pageWithStatus(page(form, problems), .unprocessableContent)
    }
}
