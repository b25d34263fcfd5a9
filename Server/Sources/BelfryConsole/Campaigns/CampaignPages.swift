import BelfryModel
import BelfryServerModel
import BelfryServices
import Hummingbird

/// The list of campaigns, and the page of each (CON-5, CON-7).
enum CampaignPages {
    private static let page = "/apps/{app}/campaigns/{id}"

    static let routes: [ConsoleRoute] = pages + steps

    private static let pages: [ConsoleRoute] = [
        .get("/apps/{app}/campaigns", .app(.view), list),
        .get(page, .app(.view)) { call in .page(try await shown(call)) },
        .live("\(page)/live", .app(.view), live),
        .get("\(page)/counts.csv", .app(.view), export),
        .post("\(page)/duplicate", .app(.compose), audit: nil, duplicate),
        .post("\(page)/reach", .app(.view), audit: nil, reach),
        .post("\(page)/dry-run", .app(.view), audit: "campaign.dryRun", trial),
        .post("\(page)/test", .app(.compose), audit: nil, test),
    ]

    private static let steps: [ConsoleRoute] = CampaignStep.allCases.flatMap { step -> [ConsoleRoute] in
        let taken = ConsoleRoute.post("\(page)/\(step.rawValue)", .app(step.right), audit: step.audit) { call in
            try await take(step, call)
        }
        let asked = ConsoleRoute.post("\(page)/\(step.rawValue)/ask", .app(step.right), audit: nil) { call in
            try await ask(step, call)
        }
        return step.isAskedAbout ? [taken, asked] : [taken]
    }

    private static func list(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let app = try call.inApp()
        let cursor: Int64? = WholeNumber.read(call.query["before"])
        let filter = CampaignFilter(
            text: call.query["q"], status: CampaignStatus(rawValue: call.query["status"]),
            kind: CampaignKind(rawValue: call.query["kind"])
        )
        let found = try await call.services.campaignSearch.find(
            filter, app: app, before: cursor, limit: CampaignListModel.pageSize
        )
        let reviews = try await call.services.campaignReviews.approvals(of: found.campaigns.map(\.id), app: app)
        let model = CampaignListModel(
            found, filter: filter, reviews: reviews, asksForApproval: app.settings.asksForApproval,
            isFirstPage: cursor == nil, mayCompose: try call.rights().contains(.compose),
            base: call.link("/campaigns"), formToken: try call.signedIn().formToken, formKey: call.newFormKey
        )
        return .page(Page("Campaigns", template: "campaigns", section: .campaigns, model: model))
    }

    private static func duplicate(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let sentence = "This is a copy, as a draft. It was not sent."
        switch try await copy(call) {
        case .made(let id):
            return .redirect(call.link("/campaigns/\(id)"), notice: .done(sentence))
        case .repeated(let id), .changed(let id):
            let notice = Notice.done("\(sentence) The form was submitted twice, and made one copy.")
            return .redirect(call.link("/campaigns/\(id)"), notice: notice)
        }
    }

    /// Duplicates the campaign, once for each page that was shown.
    private static func copy(_ call: ConsoleCall) async throws -> CampaignDrafts.Submission {
        let (id, app, drafts) = (try call.campaign(), try call.inApp(), call.services.campaigns.drafts)
        let (editor, action) = (try call.principal().author, "campaign.create")
        guard let key = try call.formKey(audit: action) else {
            let copy = try await call.auditing(action) {
                try await drafts.duplicate(id, by: editor, app: app).id
            } naming: { copy in
                copy.description
            }
            return .made(copy)
        }
        return try await drafts.duplicate(id, once: key, by: editor, app: app)
    }

    /// Counts the devices in the audience of a draft, for a part of its page.
    private static func reach(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let app = try call.inApp()
        let draft = try await call.services.campaigns.queries.campaign(try call.campaign(), app: app).draft
        let model = try await ReachModel(draft.audience, call, app: app)
        return .fragment(template: "campaign-reach", model: model)
    }

    private static func trial(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, app) = (try call.campaign(), try call.inApp())
        do {
            let run = try await call.services.previews.pass(try call.principal()) {
                try await call.services.campaigns.previews.dryRun(id, app: app)
            }
            return .page(try await shown(call) { $0.trial = TrialModel(run) })
        } catch let error as ServiceError {
            return try await rejected(error, call)
        }
    }

    private static func test(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let device = call.form["device"]
        do {
            guard !device.showsNothing else {
                throw ServiceError.invalid(
                    field: "device",
                    ValueError(code: "missing", message: "Type the id of a device: its person's page has it.")
                )
            }
            let form = TestForm(call: call, campaign: try call.campaign(), app: try call.inApp(), device: device)
            let lines = try await form.send()
            return .page(
                try await shown(call) { view in
                    view.testDevice = device
                    view.tests = lines
                }
            )
        } catch let error as ServiceError {
            return try await rejected(error, call) { view in
                view.testDevice = device
                // The form keeps its idempotency key: if the button is pressed again, a test that is being sent is not
                // sent twice.
                if call.form.contains("key") { view.formKey = call.form["key"] }
            }
        }
    }

    private static func take(_ step: CampaignStep, _ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, app) = (try call.campaign(), try call.inApp())
        do {
            if step.begins {
                let view = try await present(call, hasSample: false)
                if step.isPossible(view.campaign), let time = view.launchTime {
                    if let lack = CampaignModel.lackOfCredentials(view) { throw ServiceError.conflict(message: lack) }
                    try time.require(shown: call.form["told"], before: step, zone: view.zone)
                }
            }
            // A second launch has no effect. A draft that has changed since the person saw it is not launched.
            let campaign = try await step.take(
                id, from: DraftVersion(text: call.form["version"]), in: call.services.campaigns.life, app: app
            )
            if campaign.draft.kind.isInApp { call.services.apps.v3InAppMessages.forget(app: app.id) }
            let zone = AppZone(app.settings)
            return .redirect(
                call.link(step == .delete ? "/campaigns" : "/campaigns/\(id)"),
                notice: .done(step.done(campaign, zone: zone, now: call.services.now()))
            )
        } catch let error as ServiceError {
            return try await rejected(error, call) { $0.isLaunchRejected = step.begins }
        }
    }

    /// The confirmation page of a step, for browsers that run no script. Its question is about the campaign as it is
    /// now, but its form still names the version that the person has seen.
    private static func ask(_ step: CampaignStep, _ call: ConsoleCall) async throws -> ConsoleResponse {
        let app = try call.inApp()
        let campaign = try await call.services.campaigns.queries.campaign(try call.campaign(), app: app)
        let page = call.link("/campaigns/\(campaign.id)")
        let button = StepButton(
            step, base: page, version: call.form["version"],
            time: campaign.launchTime(now: call.services.now()), zone: AppZone(app.settings)
        )
        let token = try call.signedIn().formToken
        guard let model = ConfirmModel(step, campaign, button, page: page, formToken: token) else {
            return .redirect(page)
        }
        return .page(Page(button.stepTitle, template: "confirm", section: .campaigns, model: model))
    }

    private static func export(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let id = try call.campaign()
        let standing = try await call.services.campaigns.queries.standing(id, app: try call.inApp())
        return .file(
            name: "campaign-\(id).csv", contentType: "text/csv; charset=utf-8", body: CountsFile.bytes(standing)
        )
    }

    private static func live(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, app) = (try call.campaign(), try call.inApp())
        let view = try await present(call, hasSample: false)
        let campaigns = call.services.campaigns.queries
        let parts = LiveCampaign(
            view, following: campaigns.follow(id, app: app), hours: { try? await campaigns.hours(id, app: app) },
            now: { call.services.now() }, while: { await call.isStillWelcome() }
        )
        return .live { await parts.next() }
    }
}

extension CampaignPages {
    /// The page of the campaign that the address names.
    static func shown(
        _ call: ConsoleCall, _ change: (inout CampaignView) -> Void = { _ in }
    ) async throws -> Page {
        var view = try await present(call)
        change(&view)
        return Page(
            view.campaign.draft.name, template: "campaign", section: .campaigns, model: CampaignModel(view)
        )
    }

    /// The page of the campaign with the error, for the person who tried the step.
    private static func rejected(
        _ error: ServiceError, _ call: ConsoleCall, _ change: (inout CampaignView) -> Void = { _ in }
    ) async throws -> ConsoleResponse {
        let problem = ErrorPage(error)
        let page = try await shown(call) { view in
            change(&view)
            view.problem = problem.sentence
        }
        return .pageWithStatus(page, problem.status)
    }

    /// - Parameter hasSample: whether the page shows a sample of the push.
    private static func present(_ call: ConsoleCall, hasSample: Bool = true) async throws -> CampaignView {
        let app = try call.inApp()
        let sheet = try await call.services.campaigns.queries.sheet(try call.campaign(), app: app)
        let campaign = sheet.standing.campaign
        let version = try DraftVersion(campaign.draft).text
        let sample = try await sample(of: hasSample ? campaign.draft : nil, schema: sheet.schema, call)
        var view = CampaignView(
            standing: sheet.standing, sample: sample.content, sampleProblem: sample.problem, version: version,
            hasCredentials: sheet.hasCredentials,
            appName: app.name, zone: AppZone(app.settings), now: call.services.now(), hours: sheet.hours,
            base: call.link("/campaigns"), rights: try call.rights(),
            formToken: try call.signedIn().formToken, formKey: call.newFormKey,
            review: try await ReviewView(campaign.id, call)
        )
        if campaign.launchedAt != nil {
            let all = try await call.services.rehearsals.list(of: campaign.id, app: app)
            view.rehearsed = RehearsedLaunch(all, of: version)
        }
        return view
    }

    /// The push as an invented person would get it, or why it cannot be shown now. Compiling its templates takes time,
    /// so only a few calls may do so at the same time (SEC-2).
    private static func sample(
        of draft: CampaignDraft?, schema: [String: AttributeType], _ call: ConsoleCall
    ) async throws -> (content: PushContent?, problem: String?) {
        guard let draft, draft.kind != .silent, let push = draft.push else { return (nil, nil) }
        do {
            let content = try await call.services.previews.pass(try call.principal()) {
                await call.services.campaigns.draftPreviews.sample(of: push, schema: schema).content
            }
            return (content, nil)
        } catch let error as ServiceError {
            return (nil, "Its content cannot be shown now. \(ErrorPage(error).sentence)")
        }
    }
}

extension ConsoleCall {
    /// The campaign that the address names.
    func campaign() throws -> CampaignID {
        let text = try part("id")
        guard let id = CampaignID(text) else {
            throw ServiceError.notFound(what: "campaign", id: String(text.prefix(32)))
        }
        return id
    }
}
