import BelfryModel
import BelfryServerModel
import BelfryServices

/// What the form needs of the app.
struct ComposeDesk: Sendable {
    let app: AppService.App
    let basis: ComposeBasis
    private let place: ComposePlace

    /// - Parameters:
    ///   - edited: what is edited; nil for a new campaign.
    ///   - version: what the editor began from.
    init(
        _ call: ConsoleCall, editing edited: CampaignVersionService.Edited? = nil, from version: DraftVersion? = nil
    ) async throws {
        app = try call.inApp()
        basis = ComposeBasis(
            schema: try await call.services.apps.attributes(of: app), zone: AppZone(app.settings),
            centers: try await call.services.messageCenters.all(of: app)
        )
        place = ComposePlace(
            base: call.link("/campaigns"), campaign: edited?.campaign.id, version: version?.text ?? "",
            formToken: try call.signedIn().formToken,
            launched: edited.flatMap { [asks = app.settings.asksForApproval] in
                $0.isPublished ? ComposePlace.Launched(asksForApproval: asks, waiting: $0.waiting) : nil
            }
        )
    }

    func page(
        _ form: ComposeForm, _ problems: FormProblems = FormProblems(), conflict: Bool = false
    ) -> Page {
        let model = ComposeModel(form, problems, basis, place: place, conflict: conflict)
        return Page(model.heading, template: "compose", section: .campaigns, model: model)
    }

    /// The form as it was sent, with what is wrong at each field; errors that are no matter of a form are thrown on.
    func refused(_ form: ComposeForm, _ error: any Error) throws -> ConsoleResponse {
        guard let problems = form.problems(error) else { throw error }
        let status = (error as? ServiceError).map { ErrorPage($0).status } ?? .unprocessableContent
        return .pageWithStatus(page(form, problems), status)
    }
}
