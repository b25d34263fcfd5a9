import BelfryModel
import BelfryServerModel
import BelfryServices
import Hummingbird

/// Composing a push, and editing its draft (CON-5).
enum ComposePages {
    static let routes: [ConsoleRoute] = [
        .get("/apps/{app}/campaigns/new", .app(.compose), new),
        .post("/apps/{app}/campaigns/new", .app(.compose), audit: nil, create),
        .post("/apps/{app}/campaigns/preview", .app(.compose), audit: nil, preview),
        .get("/apps/{app}/campaigns/{id}/edit", .app(.compose), edit),
        .post("/apps/{app}/campaigns/{id}/edit", .app(.compose), audit: "campaign.update", save),
    ]

    private static func new(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let desk = try await ComposeDesk(call)
        return .page(desk.page(ComposeForm(nil, zone: desk.zone)))
    }

    private static func create(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let desk = try await ComposeDesk(call)
        let form = ComposeForm(call.form)
        do {
            let draft = try form.draft(over: nil, schema: desk.schema, zone: desk.zone)
            let campaign = try await call.services.campaigns.create(draft, app: desk.app)
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
        return .page(desk.page(ComposeForm(campaign.draft, zone: desk.zone)))
    }

    private static func save(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let campaign = try await draft(call)
        let present = try DraftVersion(campaign.draft)
        let version = DraftVersion(text: call.form["version"])
        let form = ComposeForm(call.form)
        guard version == present else {
            // The form goes on from the draft as it is now: whoever saves again has been told.
            return try await conflict(form, call, campaign.id, from: present)
        }
        let desk = try await ComposeDesk(call, editing: campaign.id, from: version)
        do {
            let draft = try form.draft(over: campaign.draft, schema: desk.schema, zone: desk.zone)
            _ = try await call.services.campaigns.saveDraft(campaign.id, as: draft, from: version, app: desk.app)
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

    /// What the form would send, as it stands: nothing is saved.
    private static func preview(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let desk = try await ComposeDesk(call)
        let form = ComposeForm(call.form)
        var base: PushContent?
        if let id = CampaignID(call.form["campaign"]) {
            base = try await call.services.campaigns.campaign(id, app: desk.app).draft.push
        }
        var problems = ComposeProblems()
        let push = form.push(over: base, &problems)
        let sample = await call.services.campaigns.sample(of: push, schema: desk.schema)
        let model = ComposePreviewModel(
            sample.content, problem: sample.problem, reach: try await reach(form, call, desk), appName: desk.app.name
        )
        return .fragment(template: "compose-preview", model: model)
    }

    private static func reach(_ form: ComposeForm, _ call: ConsoleCall, _ desk: ComposeDesk) async throws -> ReachModel
    {
        do {
            let audience = try form.audience.condition(schema: desk.schema)
            return try await ReachModel(audience, call, app: desk.app)
        } catch is ComposeProblems {
            return ReachModel(unreached: "The audience is not complete yet.")
        }
    }

    /// The draft that the address names; only pushes are composed here.
    private static func draft(_ call: ConsoleCall) async throws -> Campaign {
        let campaign = try await call.services.campaigns.campaign(try call.campaign(), app: try call.inApp())
        guard campaign.status == .draft else {
            throw ServiceError.conflict(
                message: "This campaign is \(campaign.status.rawValue), and only drafts are edited. Duplicate it.")
        }
        guard campaign.draft.kind == .push else {
            throw ServiceError.conflict(
                message: "Only pushes are edited here. Edit this one by the API or the command line.")
        }
        return campaign
    }
}

/// What the form needs of the app.
struct ComposeDesk: Sendable {
    let app: AppService.App
    let schema: [String: AttributeType]
    let zone: AppZone
    private let place: ComposePlace

    init(_ call: ConsoleCall, editing campaign: CampaignID? = nil, from version: DraftVersion? = nil) async throws {
        app = try call.inApp()
        schema = try await call.services.apps.attributes(of: app)
        zone = AppZone(app.settings)
        place = ComposePlace(
            base: call.link("/campaigns"), campaign: campaign, version: version?.text ?? "",
            formToken: try call.signedIn().formToken
        )
    }

    func page(
        _ form: ComposeForm, _ problems: ComposeProblems = ComposeProblems(), conflict: Bool = false
    ) -> Page {
        let model = ComposeModel(form, problems, schema: schema, zone: zone, place: place, conflict: conflict)
        return Page(model.heading, template: "compose", section: .campaigns, model: model)
    }

    /// The form as it was sent, with what is wrong at each field; errors that are of no field are thrown on.
    func refused(_ form: ComposeForm, _ error: any Error) throws -> ConsoleResponse {
        if let problems = error as? ComposeProblems {
            return .pageWithStatus(page(form, problems), .unprocessableContent)
        }
        guard let refusal = error as? ServiceError, let problems = ComposeProblems(refusal, audience: form.audience)
        else { throw error }
        return .pageWithStatus(page(form, problems), .unprocessableContent)
    }
}
