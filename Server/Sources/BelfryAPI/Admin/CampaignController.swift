import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// Campaigns from draft to end (ADM-2, CAMP-2).
struct CampaignController: Sendable {
    static let standardPage = 50
    static let maximumPage = 200

    let services: APIServices

    func addRoutes(to group: RouterGroup<AdminRequestContext>) {
        let campaigns = group.group("apps/:app/campaigns")
        campaigns.post(use: create)
        campaigns.get(use: list)
        campaigns.get(":id", use: find)
        campaigns.put(":id", use: update)
        campaigns.delete(":id", use: delete)
        addStep("launch", to: campaigns, services.campaigns.launch)
        addStep("pause", to: campaigns, services.campaigns.pause)
        addStep("resume", to: campaigns, services.campaigns.resume)
        addStep("cancel", to: campaigns, services.campaigns.cancel)
        addStep("recall", to: campaigns, services.campaigns.recall)
        addTrials(to: campaigns)
    }

    private func create(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .campaign)
        let campaign = try await services.campaigns.create(try await Self.draft(request, app: app).draft, app: app)
        try await services.audit(context, "campaign.create", app: app, target: campaign.id.description)
        return try Response.json(Self.status(campaign), status: .created)
    }

    private func update(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .campaign)
        let id = try Self.id(context)
        let (draft, resetsDisplays) = try await Self.draft(request, app: app)
        let campaign = try await services.campaigns.update(id, with: draft, resetDisplays: resetsDisplays, app: app)
        try await services.audit(context, "campaign.update", app: app, target: id.description)
        return try Response.json(Self.status(campaign))
    }

    private func delete(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .campaign)
        let id = try Self.id(context)
        try await services.campaigns.delete(id, app: app)
        try await services.audit(context, "campaign.delete", app: app, target: id.description)
        return Response(status: .noContent)
    }

    private func find(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .read)
        let report = try await services.campaigns.report(try Self.id(context), app: app)
        return try Response.json(CampaignAnswer(report))
    }

    private func list(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .read)
        let page = try PageQuery(request, standard: Self.standardPage, maximum: Self.maximumPage)
        // One more than is shown tells whether there is a next page.
        let found = try await services.campaigns.list(app: app, before: page.number(), limit: page.limit + 1)
        let shown = found.prefix(page.limit)
        let answer = CampaignListAnswer(
            campaigns: shown.map {
                .init(id: $0.id.description, name: $0.draft.name, kind: $0.draft.kind, status: $0.status)
            },
            cursor: found.count > shown.count ? shown.last?.id.description : nil
        )
        return try Response.json(answer)
    }

    /// A step of a campaign's life; its body, if any, says nothing.
    private func addStep(
        _ name: String, to campaigns: RouterGroup<AdminRequestContext>,
        _ step: @escaping @Sendable (CampaignID, AppService.App) async throws -> Campaign
    ) {
        campaigns.post(":id/\(name)") { _, context in
            let app = try await services.app(of: context, scope: .campaign)
            let campaign = try await step(try Self.id(context), app)
            if campaign.draft.kind.isInApp { services.apps.overlays.forget(app: app.id) }
            try await services.audit(context, "campaign.\(name)", app: app, target: campaign.id.description)
            return try Response.json(Self.status(campaign), status: .accepted)
        }
    }

    /// What is to be saved, and whether displays are counted anew with it.
    private static func draft(
        _ request: Request, app: AppService.App
    ) async throws -> (draft: CampaignDraft, resetsDisplays: Bool) {
        let bytes = try await request.jsonBytes()
        try KnownKeys.campaign.check(bytes)
        let body = try JSONBody.decode(CampaignRequest.self, from: bytes)
        return (try body.draft(inZoneNamed: app.settings.timeZoneName), body.inApp?.resetDisplays ?? false)
    }

    static func id(_ context: AdminRequestContext) throws -> CampaignID {
        let text = try context.pathParameter("id")
        guard let id = CampaignID(text) else {
            throw ServiceError.notFound(what: "campaign", id: String(text.prefix(32)))
        }
        return id
    }

    private static func status(_ campaign: Campaign) -> CampaignStatusAnswer {
        CampaignStatusAnswer(
            id: campaign.id.description, status: campaign.status, reason: campaign.statusReason
        )
    }
}
