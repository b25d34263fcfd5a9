import BelfryModel
import BelfryServerModel
import BelfryServices

/// The routes for comments on campaigns, and for approvals by a second person (CON-5).
package enum CampaignReviewRoutes {
    package static let page = PageLimits(standard: 50, maximum: 200)

    static let all: [Route<AdminRequestContext>] = [
        createComment.route, listComments.route, deleteComment.route, readApproval.route, decideApproval.route,
    ]

    package static let createComment = AdminRoute(
        .post(audit: "campaign.comment", to: .campaign), inApp: "/campaigns/{id}/comments", id: "createCampaignComment",
        .campaigns,
        scope: .campaign, summary: "Comment on a campaign",
        description: "The comment is deleted with its author or with the campaign.", response: "The comment.",
        status: .created
    ) { (call: AdminCall<CampaignCommentRequest>, app: AppService.App) -> Done<CampaignCommentResponse> in
        let id = try call.campaign()
        let comment = try await call.services.campaignReviews.comment(
            try await call.body().text, on: id, by: call.context.principal.author, app: app
        )
        return Done(CampaignCommentResponse(comment), to: id.description)
    }

    package static let listComments = AdminRoute(
        .get, inApp: "/campaigns/{id}/comments", id: "listCampaignComments", .campaigns, scope: .read,
        summary: "List the comments on a campaign", description: "Newest first.", parameters: page.parameters,
        response: "One page.", does: list
    )

    package static let deleteComment = AdminRoute(
        .delete(audit: "campaign.comment.delete", to: .campaign), inApp: "/campaigns/{id}/comments/{comment}",
        id: "deleteCampaignComment", .campaigns, scope: .campaign, summary: "Delete a comment",
        description: "One's own, or with the scope `admin` anybody's.", response: "The comment was deleted."
    ) { (call: AdminCall<NoBody>, app: AppService.App) -> Done<NoBody> in
        let (id, text) = (try call.campaign(), try call.part("comment"))
        guard let number: Int64 = WholeNumber.read(text) else {
            throw ServiceError.notFound(what: "comment", id: String(text.prefix(32)))
        }
        try await call.services.campaignReviews.deleteComment(
            number, on: id, by: call.context.principal.author, isAdmin: call.isByAdmin, app: app
        )
        return Done(to: id.description)
    }

    package static let readApproval = AdminRoute(
        .get, inApp: "/campaigns/{id}/approval", id: "readCampaignApproval", .campaigns, scope: .read,
        summary: "Read whether a campaign is approved", response: "The approval of its newest version."
    ) { (call: AdminCall<NoBody>, app: AppService.App) -> Done<CampaignApprovalResponse> in
        Done(
            CampaignApprovalResponse(
                try await call.services.campaignReviews.approval(of: try call.campaign(), app: app)
            )
        )
    }

    package static let decideApproval = AdminRoute(
        .post(audit: "campaign.approval", to: .campaign), inApp: "/campaigns/{id}/approval",
        id: "decideCampaignApproval", .campaigns,
        scope: .campaign, summary: "Ask for an approval, approve or reject",
        description: """
            A decision is about the newest version; the next edit voids it. The editor of the version cannot approve it \
            (`ownVersion`). To approve and to reject, the key needs the scope `admin`. The request may be repeated.
            """,
        response: "The approval of the newest version.", does: decide
    )

    private static func list(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<CampaignCommentListResponse> {
        let page = try call.page(Self.page)
        let found = try await call.services.campaignReviews.comments(
            on: try call.campaign(), app: app, before: page.number(), limit: page.limit + 1
        )
        let (shown, cursor) = page.cut(found) { $0.id }
        return Done(
            CampaignCommentListResponse(comments: shown.map { CampaignCommentResponse($0) }, cursor: cursor)
        )
    }

    private static func decide(
        _ call: AdminCall<CampaignApprovalRequest>, app: AppService.App
    ) async throws -> Done<CampaignApprovalResponse> {
        let id = try call.campaign()
        let body = try await call.body()
        if body.decision != .requested { try call.context.principal.require(.admin, app: app) }
        var rehearsal: Int64?
        if let text = body.rehearsal {
            guard let number: Int64 = WholeNumber.read(text) else {
                throw APIError(
                    .unprocessableContent, "unknownRehearsal", "It is the id of a rehearsal.", target: "rehearsal"
                )
            }
            rehearsal = number
        }
        let approval = try await call.services.campaignReviews.decide(
            body.decision, version: body.version, rehearsal: rehearsal, reason: body.reason, on: id,
            by: call.context.principal.author, app: app
        )
        return Done(CampaignApprovalResponse(approval), to: "\(id) \(body.decision.rawValue) version \(body.version)")
    }
}

extension AdminCall {
    /// Whether the key has all rights in its app.
    fileprivate var isByAdmin: Bool { context.principal.scopes.contains(.admin) }
}
