import BelfryModel
import BelfryServerModel
import BelfryServices

/// The app's data for the compose form.
struct ComposeDesk: Sendable {
    let app: AppService.App
    let basis: ComposeBasis
    private let place: ComposePlace
    /// Whether the server knows the time zone that the form names.
    let isZoneKnown: Bool

    /// - Parameters:
    ///   - edited: the draft or message that is edited; nil for a new campaign.
    ///   - version: the version that the editor began from.
    ///   - key: the idempotency key of a new campaign's form; nil: that of the form that was sent, or a new one.
    init(
        _ call: ConsoleCall, editing edited: CampaignVersionService.Edited? = nil, from version: DraftVersion? = nil,
        key: String? = nil
    ) async throws {
        app = try call.inApp()
        let zone = AppZone(shownBy: call.form, of: app.settings)
        isZoneKnown = zone != nil
        basis = ComposeBasis(
            schema: try await call.services.apps.attributes(of: app), zone: zone ?? AppZone(app.settings),
            centers: try await call.services.messageCenters.all(of: app)
        )
        let sentKey = call.form["key"].isEmpty ? nil : call.form["key"]
        place = ComposePlace(
            base: call.link("/campaigns"), campaign: edited?.campaign.id, version: version?.text ?? "",
            formToken: try call.signedIn().formToken,
            launched: edited.flatMap { [asks = app.settings.asksForApproval] in
                $0.isPublished ? ComposePlace.Launched(asksForApproval: asks, waiting: $0.waiting) : nil
            },
            number: edited?.number, key: edited == nil ? key ?? sentKey ?? Self.newKey(call) : ""
        )
    }

    /// A new idempotency key for a form that is shown now.
    static func newKey(_ call: ConsoleCall) -> String {
        call.newFormKey
    }

    func page(
        _ form: ComposeForm, _ problems: FormProblems = FormProblems(), alert: ComposeAlert? = nil,
        marks: [String: FormMark] = [:]
    ) -> Page {
        let model = ComposeModel(form, problems, basis, place: place, alert: alert, marks: marks)
        return Page(model.heading, template: "compose", section: .campaigns, model: model)
    }

    /// The form as it was sent, with each error at its field. Rethrows an error that belongs to no form.
    func rejected(_ form: ComposeForm, _ error: any Error) throws -> ConsoleResponse {
        guard let problems = form.problems(error) else { throw error }
        let status = (error as? ServiceError).map { ErrorPage($0).status } ?? .unprocessableContent
        return .pageWithStatus(page(form, problems), status)
    }
}

extension ComposeDesk {
    /// Throws if the server does not know the time zone of the form's times.
    func requireZone() throws(FormProblems) {
        guard !isZoneKnown else { return }
        throw FormProblems(
            ofWhole: """
                This server does not know the time zone in which the form showed its times. They are now read as \
                times in \(basis.zone.name): check each of them, then save again.
                """
        )
    }

    /// A remark if the typed times were read in another zone than the app has now; otherwise empty.
    var zoneRemark: String {
        let present = AppZone(app.settings)
        guard basis.zone.name != present.name else { return "" }
        return
            " Its times were read in \(basis.zone.name), as the form showed them; the app's time zone is now "
            + "\(present.name)."
    }
}
