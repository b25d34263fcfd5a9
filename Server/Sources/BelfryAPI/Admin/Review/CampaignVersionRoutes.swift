import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryWire

/// The routes for the versions of campaigns: the content after each edit (CON-5).
package enum CampaignVersionRoutes {
    package static let page = PageLimits(standard: 50, maximum: 100)

    static let all: [Route<AdminRequestContext>] = [
        listVersions.route, readVersion.route, compareVersions.route, proposeVersion.route, restoreVersion.route,
        publishVersion.route,
    ]

    package static let listVersions = AdminRoute(
        .get, inApp: "/campaigns/{id}/versions", id: "listCampaignVersions", .campaigns, scope: .read,
        summary: "List the versions of a campaign",
        description: "Newest first. Each edit makes one; the newest 100 are kept.", parameters: page.parameters,
        response: "One page.", does: list
    )

    package static let readVersion = AdminRoute(
        .get, inApp: "/campaigns/{id}/versions/{version}", id: "readCampaignVersion", .campaigns, scope: .read,
        summary: "Read the content of a version", response: "The version."
    ) { (call: AdminCall<NoBody>, app: AppService.App) -> Done<CampaignVersionContentResponse> in
        let found = try await call.services.campaignVersions.find(
            try call.version(), of: try call.campaign(), app: app
        )
        return Done(
            CampaignVersionContentResponse(
                version: CampaignVersionResponse(found.version), content: CampaignRequest(found.draft)
            )
        )
    }

    package static let compareVersions = AdminRoute(
        .get, inApp: "/campaigns/{id}/versions/{version}/differences", id: "compareCampaignVersions", .campaigns,
        scope: .read, summary: "Compare two versions", parameters: [from],
        response: "The parts that differ.", does: compare
    )

    package static let proposeVersion = AdminRoute(
        .post(audit: "campaign.propose", to: .campaign), inApp: "/campaigns/{id}/versions",
        id: "proposeCampaignVersion", .campaigns,
        scope: .campaign, summary: "Save a change of a launched in-app message without publishing it",
        description: """
            It waits until it is published, so that it can be rehearsed and approved. Any other campaign is a conflict; \
            a draft is changed by `PUT`.
            """,
        response: "The version that waits.", status: .created, does: propose
    )

    package static let restoreVersion = AdminRoute(
        .post(audit: "campaign.restore", to: .campaign), inApp: "/campaigns/{id}/versions/{version}/restore",
        id: "restoreCampaignVersion", .campaigns, scope: .campaign, summary: "Restore a version of a draft",
        description: "The draft gets the version's content again, as a new version.", response: "The draft's status."
    ) { (call: AdminCall<NoBody>, app: AppService.App) -> Done<CampaignStatusResponse> in
        let campaign = try await call.services.campaignVersions.restore(
            try call.version(), of: try call.campaign(), by: call.context.principal.author, app: app
        )
        return Done(CampaignStatusResponse(campaign), to: campaign.id.description)
    }

    package static let publishVersion = AdminRoute(
        .post(audit: "campaign.publish", to: .campaign), inApp: "/campaigns/{id}/versions/{version}/publish",
        id: "publishCampaignVersion", .campaigns, scope: .campaign, summary: "Publish a version that waits",
        description: """
            Devices get it instead of the message that they have. It must be the newest version. If the app requires an \
            approval and it has none, it is a conflict (`approvalRequired`). A longer message is one, too, if the \
            app's active, paused and scheduled in-app campaigns then have more than 16 MiB together.
            """,
        response: "The campaign's status."
    ) { (call: AdminCall<NoBody>, app: AppService.App) -> Done<CampaignStatusResponse> in
        let campaign = try await call.services.campaignVersions.publish(
            try call.version(), of: try call.campaign(), by: call.context.principal.author, app: app
        )
        call.services.apps.v3InAppMessages.forget(app: app.id)
        return Done(CampaignStatusResponse(campaign), to: campaign.id.description)
    }

    private static let from = OperationParameter(
        name: "from", place: .query, schema: .integer(1...Int32.max),
        description: "The version to compare with; by default the one before it."
    )

    private static func list(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<CampaignVersionListResponse> {
        let page = try call.page(Self.page)
        let found = try await call.services.campaignVersions.list(
            of: try call.campaign(), app: app, before: page.number(), limit: page.limit + 1
        )
        let (shown, cursor) = page.cut(found) { $0.number }
        return Done(
            CampaignVersionListResponse(versions: shown.map { CampaignVersionResponse($0) }, cursor: cursor)
        )
    }

    private static func compare(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<CampaignDifferencesResponse> {
        var earlier: Int64?
        if let text = call.request.uri.queryParameters["from"] {
            guard let number: Int64 = WholeNumber.read(text), number > 0 else {
                throw APIError(.badRequest, ErrorCode.outOfRange, "It is the number of a version.", target: "from")
            }
            earlier = number
        }
        let (from, version, id) = (earlier, try call.version(), try call.campaign())
        let response = try await call.costlyRead {
            CampaignDifferencesResponse(
                try await call.services.campaignVersions.compare(version, with: from, of: id, app: app)
            )
        }
        return Done(response)
    }

    private static func propose(
        _ call: AdminCall<CampaignRequest>, app: AppService.App
    ) async throws -> Done<CampaignVersionResponse> {
        let id = try call.campaign()
        let body = try await call.body(datesIn: DateZone(named: app.settings.timeZoneName))
        let version = try await call.services.campaignVersions.propose(
            body.draft, of: id, resetDisplays: body.inApp?.resetDisplays ?? false,
            by: call.context.principal.author, app: app
        )
        return Done(CampaignVersionResponse(version), to: id.description)
    }
}

extension CampaignStatusResponse {
    init(_ campaign: Campaign) {
        self.init(id: campaign.id.description, status: campaign.status, reason: campaign.statusReason)
    }
}

extension AdminCall {
    /// The version that the address names.
    fileprivate func version() throws -> Int64 {
        let text = try part("version")
        guard let number: Int64 = WholeNumber.read(text) else {
            throw ServiceError.notFound(what: "version", id: String(text.prefix(32)))
        }
        return number
    }
}
