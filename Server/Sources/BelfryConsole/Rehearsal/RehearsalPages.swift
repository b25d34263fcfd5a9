import BelfryModel
import BelfryServerModel
import BelfryServices

/// The pages of a campaign's rehearsals: start, progress, results, and the comparison with the launch (CON-12, CON-7).
enum RehearsalPages {
    private static let campaign = "/apps/{app}/campaigns/{id}"
    private static let page = "\(campaign)/rehearsals/{rehearsal}"

    static let routes: [ConsoleRoute] = [
        .get("\(campaign)/rehearsals", .app(.view), newest),
        .post("\(campaign)/rehearsals", .app(.compose), audit: nil, start),
        .get(page, .app(.view)) { call in .page(try await shown(call, number: call.rehearsal())) },
        .live("\(page)/live", .app(.view), live),
        .get("\(page)/people", .app(.view), people),
        .post("\(page)/cancel", .app(.compose), audit: "campaign.rehearsal.cancel", cancel),
    ]

    /// The page of the newest rehearsal; without any rehearsal, the page on which to start one.
    private static func newest(_ call: ConsoleCall) async throws -> ConsoleResponse {
        .page(try await shown(call, number: nil))
    }

    private static func start(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, app) = (try call.campaign(), try call.inApp())
        do {
            let (action, target) = ("campaign.rehearse", id.description)
            let (rehearsals, key) = (call.services.rehearsals, try call.formKey(audit: action, to: target))
            let rehearsal =
                if let key {
                    try await rehearsals.start(id, once: key, app: app)
                } else {
                    try await call.auditing(action, to: target) { try await rehearsals.start(id, app: app) }
                }
            return .redirect(call.link("/campaigns/\(id)/rehearsals/\(rehearsal.id)"))
        } catch let error as ServiceError {
            let problem = ErrorPage(error)
            let page = try await shown(call, number: nil) { $0.problem = problem.sentence }
            return .pageWithStatus(page, problem.status)
        }
    }

    private static func cancel(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, number) = (try call.campaign(), try call.rehearsal())
        let rehearsal = try await call.services.rehearsals.cancel(number, of: id, app: try call.inApp())
        let notice = rehearsal.status == .cancelled ? "The rehearsal was cancelled." : "The rehearsal had ended."
        return .redirect(call.link("/campaigns/\(id)/rehearsals/\(number)"), notice: .done(notice))
    }

    private static func people(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, app) = (try call.campaign(), try call.inApp())
        let campaign = try await call.services.campaigns.queries.campaign(id, app: app)
        let rehearsal = try await call.services.rehearsals.find(call.rehearsal(), of: id, app: app)
        let selection = RehearsedSelection(call.query)
        let cursor: Int64? = WholeNumber.read(call.query["after"])
        let found = try await call.services.rehearsals.people(
            in: rehearsal, selection, after: cursor, limit: RehearsedPeopleModel.pageSize
        )
        let model = RehearsedPeopleModel(
            found, selection, rehearsal, of: campaign.draft, isFirstPage: cursor == nil, zone: AppZone(app.settings),
            app: call.link("")
        )
        return .page(
            Page("People of the rehearsal", template: "rehearsed-people", section: .campaigns, model: model)
        )
    }

    private static func live(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, app, number) = (try call.campaign(), try call.inApp(), try call.rehearsal())
        let view = try await present(call, number: number)
        let parts = LiveRehearsal(
            view, following: call.services.rehearsals.follow(number, of: id, app: app),
            ended: { try? await present(call, number: number) }, while: { await call.isStillWelcome() }
        )
        return .live { await parts.next() }
    }

    /// The page of a rehearsal. Without a number, that of the newest one.
    private static func shown(
        _ call: ConsoleCall, number: Int64?, _ change: (inout RehearsalView) -> Void = { _ in }
    ) async throws -> Page {
        var view = try await present(call, number: number)
        change(&view)
        return Page(
            "Rehearsal of \(view.campaign.draft.name.isolated)", template: "rehearsal", section: .campaigns,
            model: RehearsalModel(view)
        )
    }

    private static func present(_ call: ConsoleCall, number: Int64?) async throws -> RehearsalView {
        let (id, app, service) = (try call.campaign(), try call.inApp(), call.services.rehearsals)
        let campaign = try await call.services.campaigns.queries.campaign(id, app: app)
        let all = try await service.list(of: id, app: app)
        var shown = all.first
        if let number { shown = try await service.find(number, of: id, app: app) }
        var view = RehearsalView(
            campaign: campaign, version: try DraftVersion(campaign.draft).text,
            next: try await service.nextVersion(of: id, app: app), rehearsal: shown, all: all,
            zone: AppZone(app.settings), base: call.link("/campaigns"), rights: try call.rights(),
            formToken: try call.signedIn().formToken, formKey: call.newFormKey
        )
        guard let shown, shown.status == .done else { return view }
        view.former = try await service.former(of: shown)
        // Comparing a large ledger takes a while, so it is only done on request; the result is then stored.
        guard view.isComparable, view.mayCompare(asked: !call.query["compare"].isEmpty) else { return view }
        do {
            view.comparison = try await call.services.previews.pass(try call.principal()) {
                try await service.comparison(shown.id, of: id, app: app)
            }
        } catch ServiceError.tooManyCalls(let limit, let message, let wait) {
            // The rehearsal's own figures are shown even if the comparison fails.
            let busy = ErrorPage(ServiceError.tooManyCalls(limit: limit, message: message, retryAfter: wait))
            view.comparisonProblem = "It cannot be compared at this moment. \(busy.sentence)"
        }
        return view
    }
}

/// Sends the parts of a rehearsal's page each time that they have changed.
actor LiveRehearsal {
    private let first: RehearsalView
    private let follower: RehearsalFollower
    private let ended: @Sendable () async -> RehearsalView?
    private let mayGoOn: @Sendable () async -> Bool
    private var waiting: [LiveFragment] = []
    private var isOver = false

    /// - Parameters:
    ///   - ended: reads the whole page once the rehearsal has ended; nil when it cannot be read now.
    ///   - mayGoOn: whether the person may still see the rehearsal.
    init(
        _ view: RehearsalView, following follower: RehearsalFollower,
        ended: @escaping @Sendable () async -> RehearsalView?,
        while mayGoOn: @escaping @Sendable () async -> Bool
    ) {
        first = view
        self.follower = follower
        self.ended = ended
        self.mayGoOn = mayGoOn
    }

    /// The next changed part; nil when the stream ends. Then the browser connects again, unless the rehearsal has
    /// ended.
    func next() async -> LiveFragment? {
        if waiting.isEmpty {
            guard !isOver, let rehearsal = try? await follower.next(while: mayGoOn) else { return nil }
            isOver = !rehearsal.status.isOpen
            // The page is read again: the comparison with the rehearsal before it is only possible now, and another
            // rehearsal may exist.
            guard let view = isOver ? await ended() : first.at(rehearsal) else { return nil }
            waiting = fragments(view)
        }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    private func fragments(_ view: RehearsalView) -> [LiveFragment] {
        let (model, state) = (RehearsalModel(view), RehearsalStateModel(view))
        let parts = [
            LiveFragment(target: "list", template: "rehearsal-list", model: model),
            LiveFragment(target: "state", template: "rehearsal-state", model: state),
        ]
        guard isOver else { return parts }
        return [
            LiveFragment(target: "found", template: "rehearsal-figures", model: model),
            LiveFragment(target: "start", template: "rehearsal-start", model: model),
        ] + parts + [LiveFragment(target: "end", template: "rehearsal-state", model: state)]
    }
}

extension ConsoleCall {
    /// The rehearsal that the address names.
    fileprivate func rehearsal() throws -> Int64 {
        let text = try part("rehearsal")
        guard let number: Int64 = WholeNumber.read(text) else {
            throw ServiceError.notFound(what: "rehearsal", id: String(text.prefix(32)))
        }
        return number
    }
}
