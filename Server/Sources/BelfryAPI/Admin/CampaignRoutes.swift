import BelfryModel
import BelfryServerModel
import BelfryServices

/// The routes for campaigns from draft to end (ADM-2, CAMP-2), and for the size of an audience (CAMP-3).
package enum CampaignRoutes {
    package static let page = PageLimits(standard: 50, maximum: 200)

    static let all: [Route<AdminRequestContext>] = [
        createCampaign.route, listCampaigns.route, readCampaign.route, updateCampaign.route, deleteCampaign.route,
        launchCampaign.route, pauseCampaign.route, resumeCampaign.route, cancelCampaign.route, recallCampaign.route,
        countAudience.route,
    ]

    package static let countAudience = AdminRoute(
        .post(audit: "audience.count"), inApp: "/audience", id: "countAudience", .campaigns, scope: .read,
        summary: "Count the devices of an audience",
        description: """
            Nothing is saved or sent. An audience that takes too long to count is rejected (`tooExpensive`): make it \
            narrower.
            """,
        response: "The number of devices in it now.", isAcceptedOnFullDisk: true, does: count
    )

    package static let createCampaign = AdminRoute(
        .post(audit: "campaign.create"), inApp: "/campaigns", id: "createCampaign", .campaigns, scope: .campaign,
        summary: "Save a new campaign as a draft", response: "The draft was saved.", status: .created, does: create
    )

    package static let listCampaigns = AdminRoute(
        .get, inApp: "/campaigns", id: "listCampaigns", .campaigns, scope: .read, summary: "List the campaigns",
        description: """
            Newest first. With a filter, a page may have fewer entries than its limit, or none, and a cursor all the \
            same: at most \(CampaignSearch.searchedAtOnce) campaigns are looked at for it.
            """,
        parameters: page.parameters + filters, response: "One page.", does: list
    )

    private static let filters = [
        OperationParameter(
            name: "name", place: .query, schema: .string(0...CampaignFilter.maximumTextLength),
            description: "A part of the name, in any case."
        ),
        OperationParameter(name: "status", place: .query, schema: .of(CampaignStatus.self), description: "Only these."),
        OperationParameter(name: "kind", place: .query, schema: .of(CampaignKind.self), description: "Only these."),
    ]

    package static let readCampaign = AdminRoute(
        .get, inApp: "/campaigns/{id}", id: "readCampaign", .campaigns, scope: .read,
        summary: "Read a campaign and its figures", response: "The campaign.", does: find
    )

    package static let updateCampaign = AdminRoute(
        .put(audit: "campaign.update", to: .campaign), inApp: "/campaigns/{id}", id: "updateCampaign", .campaigns,
        scope: .campaign,
        summary: "Replace a draft, or publish a new version of an in-app message",
        description: """
            An in-app campaign that is active or paused is published at once: devices get the new version instead of \
            the old one. If the app requires an approval and this version has none, it is a conflict \
            (`approvalRequired`): propose the version, and publish it when it is approved. A longer message is a \
            conflict if the app's active, paused and scheduled in-app campaigns then have more than 16 MiB together. \
            Any other campaign that is no longer a draft is a conflict.
            """,
        response: "The campaign was saved.", does: update
    )

    package static let deleteCampaign = AdminRoute(
        .delete(audit: "campaign.delete", to: .campaign), inApp: "/campaigns/{id}", id: "deleteCampaign", .campaigns,
        scope: .campaign, summary: "Delete a campaign",
        description: """
            A draft is deleted. A finished campaign is removed from the list, and can still be read by its id. An \
            in-app campaign is cancelled: devices that have not downloaded its message never get it, and downloaded \
            copies stay until they expire. Any other campaign that is scheduled, sending or paused is a conflict.
            """,
        response: "The campaign was deleted.", does: delete
    )

    package static let launchCampaign = step(
        "launch", "Launch a campaign",
        """
        Selects the audience and sends. An in-app campaign is active from then on, until it ends. Without credentials \
        of a push service it is a conflict, unless devices download the message. If the app requires an \
        approval and the newest version has none, it is a conflict, too (`approvalRequired`). So is an in-app campaign \
        beside 100 others that are active, paused or scheduled, or one with which these have more than 16 MiB of \
        content together.
        """
    ) { try await $0.launch($1, app: $2) }

    package static let pauseCampaign = step(
        "pause", "Pause a campaign", "Nothing is sent, and no message placed, until the campaign is resumed.",
        isAcceptedOnFullDisk: true
    ) { try await $0.pause($1, app: $2) }

    package static let resumeCampaign = step(
        "resume", "Resume a campaign",
        """
        Sends the unsent messages. A campaign that was paused before its time waits for it again; if the time has \
        passed, it starts at once, with `localAt` wherever the time has passed. What a launch would reject is rejected \
        then, too: a time that passed more than a day ago, an expiry, missing credentials, a missing approval.
        """
    ) { try await $0.resume($1, app: $2) }

    package static let cancelCampaign = step(
        "cancel", "Cancel a campaign",
        """
        Unsent messages are cancelled. Running sends are completed, and downloaded in-app messages stay until \
        they expire.
        """,
        isAcceptedOnFullDisk: true
    ) { try await $0.cancel($1, app: $2) }

    package static let recallCampaign = step(
        "recall", "Recall a campaign's messages",
        """
        Devices that have an in-app message remove it at their next sync, and the campaign is cancelled. Messages in \
        message centers are deleted for everybody, and no more are placed; pushes are still sent.
        """,
        isAcceptedOnFullDisk: true
    ) { try await $0.recall($1, app: $2) }

    /// A transition of a campaign's status. It may be repeated, and a body is ignored.
    private static func step(
        _ name: String, _ summary: String, _ description: String, isAcceptedOnFullDisk: Bool = false,
        _ step: @escaping @Sendable (CampaignLife, CampaignID, AppService.App) async throws -> Campaign
    ) -> AdminRoute<NoBody, CampaignStatusResponse> {
        AdminRoute(
            .post(audit: "campaign.\(name)", to: .campaign), inApp: "/campaigns/{id}/\(name)", id: "\(name)Campaign",
            .campaigns,
            scope: .campaign, summary: summary,
            description: "\(description) The request may be repeated. In the wrong state it is a conflict.",
            response: "The campaign's status.", status: .accepted, isAcceptedOnFullDisk: isAcceptedOnFullDisk
        ) { call, app in
            let campaign = try await step(call.services.campaigns.life, try call.campaign(), app)
            if campaign.draft.kind.isInApp { call.services.apps.v3InAppMessages.forget(app: app.id) }
            return Done(CampaignStatusResponse(campaign), to: campaign.id.description)
        }
    }
}

extension CampaignRoutes {
    private static func count(
        _ call: AdminCall<AudienceCountRequest>, app: AppService.App
    ) async throws -> Done<AudienceCountResponse> {
        let devices = try await call.costlyRead { body in
            try await call.services.campaigns.audiences.count(body.audience, app: app)
        }
        return Done(AudienceCountResponse(devices: devices))
    }

    private static func create(
        _ call: AdminCall<CampaignRequest>, app: AppService.App
    ) async throws -> Done<CampaignStatusResponse> {
        let body = try await call.body(datesIn: DateZone(named: app.settings.timeZoneName))
        let campaign = try await call.services.campaigns.drafts.create(
            body.draft, by: call.context.principal.author, app: app
        )
        return Done(CampaignStatusResponse(campaign), to: campaign.id.description)
    }

    private static func update(
        _ call: AdminCall<CampaignRequest>, app: AppService.App
    ) async throws -> Done<CampaignStatusResponse> {
        let id = try call.campaign()
        let body = try await call.body(datesIn: DateZone(named: app.settings.timeZoneName))
        let campaign = try await call.services.campaigns.drafts.update(
            id, with: body.draft, resetDisplays: body.inApp?.resetDisplays ?? false,
            by: call.context.principal.author, app: app
        )
        return Done(CampaignStatusResponse(campaign), to: id.description)
    }

    private static func delete(_ call: AdminCall<NoBody>, app: AppService.App) async throws -> Done<NoBody> {
        let id = try call.campaign()
        try await call.services.campaigns.life.delete(id, app: app)
        return Done(to: id.description)
    }

    private static func find(_ call: AdminCall<NoBody>, app: AppService.App) async throws -> Done<CampaignResponse> {
        Done(CampaignResponse(try await call.services.campaigns.queries.report(try call.campaign(), app: app)))
    }

    private static func list(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<CampaignListResponse> {
        let page = try call.page(Self.page)
        let filter = CampaignFilter(
            text: try call.text("name") ?? "", status: try call.word("status", of: CampaignStatus.self),
            kind: try call.word("kind", of: CampaignKind.self)
        )
        let found = try await call.services.campaignSearch.find(
            filter, app: app, before: page.number(), limit: page.limit
        )
        let response = CampaignListResponse(
            campaigns: found.campaigns.map {
                .init(id: $0.id.description, name: $0.name, kind: $0.kind, status: $0.status)
            },
            cursor: found.next.map { String($0) }
        )
        return Done(response)
    }
}

extension AdminCall {
    /// The campaign that the address names.
    func campaign() throws -> CampaignID {
        let text = try part("id")
        guard let id = CampaignID(text) else {
            throw ServiceError.notFound(what: "campaign", id: String(text.prefix(32)))
        }
        return id
    }
}
