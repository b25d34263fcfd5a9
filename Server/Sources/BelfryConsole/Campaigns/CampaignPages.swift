import BelfryModel
import BelfryServerModel
import BelfryServices
import Hummingbird

/// Campaigns: the list, and the page of each (CON-5, CON-7).
enum CampaignPages {
    private static let page = "/apps/{app}/campaigns/{id}"

    static let routes: [ConsoleRoute] = pages + steps

    private static let pages: [ConsoleRoute] = [
        .get("/apps/{app}/campaigns", .app(.view), list),
        .get(page, .app(.view)) { call in .page(try await shown(call)) },
        .get("\(page)/live", .app(.view), live),
        .get("\(page)/counts.csv", .app(.view), export),
        .post("\(page)/duplicate", .app(.compose), audit: nil, duplicate),
        .post("\(page)/reach", .app(.view), audit: nil, reach),
        .post("\(page)/dry-run", .app(.view), audit: "campaign.dryRun", trial),
        .post("\(page)/test", .app(.compose), audit: "campaign.test", test),
    ]

    private static let steps: [ConsoleRoute] = CampaignStep.allCases.map { step in
        ConsoleRoute.post("\(page)/\(step.rawValue)", .app(step.right), audit: step.audit) { call in
            try await take(step, call)
        }
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
            base: call.link("/campaigns"), formToken: try call.signedIn().formToken
        )
        return .page(Page("Campaigns", template: "campaigns", section: .campaigns, model: model))
    }

    private static func duplicate(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let copy = try await call.services.campaigns.duplicate(
            try call.campaign(), by: try call.principal().author, app: try call.inApp()
        )
        try await call.audit("campaign.create", copy.id)
        return .redirect(
            call.link("/campaigns/\(copy.id)"), notice: .done("This is a copy, as a draft. Nothing of it is sent yet.")
        )
    }

    /// How many devices are in the audience of a draft, for its page.
    private static func reach(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let app = try call.inApp()
        let draft = try await call.services.campaigns.campaign(try call.campaign(), app: app).draft
        let model = try await ReachModel(draft.audience, call, app: app)
        return .fragment(template: "campaign-reach", model: model)
    }

    private static func trial(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, app) = (try call.campaign(), try call.inApp())
        do {
            let run = try await call.services.previews.pass(try call.principal()) {
                try await call.services.campaigns.dryRun(id, app: app)
            }
            return .page(try await shown(call) { $0.trial = TrialModel(run) })
        } catch let error as ServiceError {
            return try await refused(error, call)
        }
    }

    private static func test(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, app) = (try call.campaign(), try call.inApp())
        let device = call.form["device"]
        do {
            let results = try await call.services.testSends.pass(try call.principal()) {
                try await call.services.campaigns.test(id, devices: [device], app: app)
            }
            return .page(
                try await shown(call) { view in
                    view.testDevice = device
                    view.tests = results.map { TestLine(testedDevice: $0.device, testSentence: $0.sentence) }
                }
            )
        } catch let error as ServiceError {
            return try await refused(error, call) { $0.testDevice = device }
        }
    }

    private static func take(_ step: CampaignStep, _ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, app) = (try call.campaign(), try call.inApp())
        let campaigns = call.services.campaigns
        do {
            if step == .launch {
                let view = try await present(call)
                // Launched twice is launched once; changed meanwhile is not what the person has seen.
                if view.campaign.status == .draft {
                    try CampaignService.requireDraft(view.campaign, at: DraftVersion(text: call.form["version"]))
                }
                if let hint = CampaignModel.hint(view) { throw ServiceError.conflict(message: hint) }
            }
            let campaign = try await step.take(id, campaigns, app: app)
            if campaign.draft.kind.isInApp { call.services.apps.v3InAppMessages.forget(app: app.id) }
            let zone = AppZone(app.settings)
            return .redirect(call.link("/campaigns/\(id)"), notice: .done(step.done(campaign, zone: zone)))
        } catch let error as ServiceError {
            return try await refused(error, call)
        }
    }

    private static func export(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let id = try call.campaign()
        let standing = try await call.services.campaigns.standing(id, app: try call.inApp())
        return .file(
            name: "campaign-\(id).csv", contentType: "text/csv; charset=utf-8", body: CountsFile.bytes(standing)
        )
    }

    private static func live(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, app) = (try call.campaign(), try call.inApp())
        let view = try await present(call)
        let campaigns = call.services.campaigns
        let parts = LiveCampaign(
            view, following: campaigns.follow(id, app: app), hours: { try? await campaigns.hours(id, app: app) }
        )
        return .live(AsyncStream(unfolding: { await parts.next() }))
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

    /// The same with what went wrong, for the person who tried.
    private static func refused(
        _ error: ServiceError, _ call: ConsoleCall, _ change: (inout CampaignView) -> Void = { _ in }
    ) async throws -> ConsoleResponse {
        let problem = ErrorPage(error)
        let page = try await shown(call) { view in
            change(&view)
            view.problem = problem.sentence
        }
        return .pageWithStatus(page, problem.status)
    }

    private static func present(_ call: ConsoleCall) async throws -> CampaignView {
        let app = try call.inApp()
        let standing = try await call.services.campaigns.glance(try call.campaign(), app: app)
        let draft = standing.campaign.draft
        let credentials = try await call.services.apps.credentials(of: app)
        var sample: PushContent?
        if draft.kind != .silent, let push = draft.push {
            let schema = try await call.services.apps.attributes(of: app)
            sample = await call.services.campaigns.sample(of: push, schema: schema).content
        }
        let hours = try await call.services.campaigns.hours(standing.campaign.id, app: app)
        return CampaignView(
            standing: standing, sample: sample, version: try DraftVersion(draft).text,
            hasCredentials: credentials.apns != nil || credentials.fcm != nil || credentials.webpush != nil,
            appName: app.name, zone: AppZone(app.settings), hours: hours, base: call.link("/campaigns"),
            rights: try call.rights(),
            formToken: try call.signedIn().formToken, review: try await ReviewPages.view(standing.campaign.id, call)
        )
    }
}

/// The parts of a campaign's page, each time that they have changed.
actor LiveCampaign {
    private let first: CampaignView
    private let follower: CampaignFollower
    private let hours: @Sendable () async -> CampaignHours?
    private var waiting: [LiveFragment] = []
    private var isOver = false

    init(
        _ view: CampaignView, following follower: CampaignFollower,
        hours: @escaping @Sendable () async -> CampaignHours? = { nil }
    ) {
        first = view
        self.follower = follower
        self.hours = hours
    }

    /// Nil when there is nothing more to tell; then the browser asks anew, unless the campaign is over.
    func next() async -> LiveFragment? {
        if waiting.isEmpty {
            guard !isOver, let standing = try? await follower.next() else { return nil }
            isOver = standing.isOver
            waiting = fragments(standing, hours: await hours())
        }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    private func fragments(_ standing: CampaignStanding, hours: CampaignHours?) -> [LiveFragment] {
        let view = first.at(standing)
        let funnel = CampaignFunnel(standing, page: "\(view.base)/\(standing.campaign.id)")
        let figures = LiveFragment(target: "figures", template: "campaign-figures", model: funnel)
        let charts = LiveFragment(
            target: "hours", template: "campaign-hours", model: CampaignHoursModel(hours, zone: view.zone)
        )
        let state = LiveFragment(target: "state", template: "campaign-state", model: CampaignStateModel(view))
        let end = LiveFragment(target: "end", template: "campaign-figures", model: funnel)
        return isOver ? [figures, charts, state, end] : [figures, charts, state]
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

    /// What the person may do in the app.
    func rights() throws -> Set<UserRight> {
        let role = try signedIn().role(in: try inApp())
        return Set(UserRight.allCases.filter { role?.allows($0) ?? false })
    }

    /// Writes into the audit log what the address does not name.
    func audit(_ action: String, _ campaign: CampaignID) async throws {
        try await services.access.audit(principal(), action: action, app: app?.code, target: campaign.description)
    }
}

/// How many devices belong to an audience now, or why they cannot be counted.
struct ReachModel: Sendable {
    let reached: String?
    let unreached: String?

    init(_ audience: Condition, _ call: ConsoleCall, app: AppService.App) async throws {
        do {
            let devices = try await call.services.previews.pass(try call.principal()) {
                try await call.services.campaigns.countAudience(audience, app: app)
            }
            reached = Self.sentence(devices)
            unreached = nil
        } catch let error as ServiceError {
            reached = nil
            unreached = ErrorPage(error).sentence
        }
    }

    init(unreached: String) {
        reached = nil
        self.unreached = unreached
    }

    static func sentence(_ devices: Int) -> String {
        devices == 0
            ? "No device is in this audience now."
            : "\(Figures.count(devices, "device is", "devices are")) in this audience now."
    }
}
