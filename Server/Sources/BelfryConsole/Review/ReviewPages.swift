import BelfryModel
import BelfryServerModel
import BelfryServices
import Hummingbird

/// The pages for versions of campaigns, comments, and approval by a second person (CON-5).
enum ReviewPages {
    private static let page = "/apps/{app}/campaigns/{id}"

    static let routes: [ConsoleRoute] = [
        .get("\(page)/versions", .app(.view), VersionPages.history),
        .get("\(page)/versions/{version}", .app(.view), VersionPages.version),
        .post("\(page)/versions/{version}/restore", .app(.compose), audit: "campaign.restore", VersionPages.restore),
        .post("\(page)/versions/{version}/publish", .app(.compose), audit: "campaign.publish", VersionPages.publish),
        .get("\(page)/comments", .app(.view), comments),
        .post("\(page)/comments", .app(.comment), audit: nil, comment).keepingForm,
        .post("\(page)/comments/{comment}/delete", .app(.comment), audit: "campaign.comment.delete", deleteComment),
        .post("\(page)/approval/request", .app(.compose), audit: "campaign.approval") { call in
            try await decide(.requested, call, done: "An approver is asked to look at this version.")
        },
        .post("\(page)/approval/approve", .app(.approve), audit: "campaign.approval") { call in
            try await decide(.approved, call, done: "You approved this version.")
        },
        .post("\(page)/approval/reject", .app(.approve), audit: "campaign.approval") { call in
            try await decide(.rejected, call, done: "You rejected this version. Its author reads why.")
        }.keepingForm,
    ]

    private static func comments(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, app) = (try call.campaign(), try call.inApp())
        let campaign = try await call.services.campaigns.queries.campaign(id, app: app)
        let found = try await call.services.campaignReviews.comments(
            on: id, app: app, before: WholeNumber.read(call.query["before"]), limit: CommentListModel.pageSize + 1
        )
        let model = CommentListModel(
            found, campaign: campaign.draft.name, view: try await ReviewView(id, call),
            formToken: try call.signedIn().formToken
        )
        return .page(Page("Comments", template: "comments", section: .campaigns, model: model))
    }

    private static func comment(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let id = try call.campaign()
        let text = call.form["text"]
        do {
            try await add(text, to: id, call)
            return .redirect(call.link("/campaigns/\(id)#comments"))
        } catch ServiceError.invalid(_, let error) {
            let page = try await CampaignPages.shown(call) { view in
                view.review?.comment = text
                view.review?.commentProblem = error.message
            }
            return .pageWithStatus(page, .unprocessableContent)
        }
    }

    /// Adds a comment, once for each page that was shown.
    private static func add(_ text: String, to id: CampaignID, _ call: ConsoleCall) async throws {
        let (reviews, author, app) = (call.services.campaignReviews, try call.principal().author, try call.inApp())
        let action = "campaign.comment"
        guard let key = try call.formKey(audit: action, to: id.description) else {
            _ = try await call.auditing(action, to: id.description) {
                try await reviews.comment(text, on: id, by: author, app: app)
            }
            return
        }
        _ = try await reviews.comment(text, once: key, on: id, by: author, app: app)
    }

    private static func deleteComment(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let id = try call.campaign()
        let text = try call.part("comment")
        guard let number: Int64 = WholeNumber.read(text) else {
            throw ServiceError.notFound(what: "comment", id: String(text.prefix(32)))
        }
        try await call.services.campaignReviews.deleteComment(
            number, on: id, by: try call.principal().author, isAdmin: try call.rights().contains(.administer),
            app: try call.inApp()
        )
        return .redirect(call.link("/campaigns/\(id)#comments"), notice: .done("The comment was deleted."))
    }

    private static func decide(
        _ decision: CampaignDecision, _ call: ConsoleCall, done: String
    ) async throws -> ConsoleResponse {
        let id = try call.campaign()
        let reason = call.form["reason"]
        do {
            try await call.services.campaignReviews.decide(
                decision, version: WholeNumber.read(call.form["version"]) ?? 0,
                rehearsal: WholeNumber.read(call.form["rehearsal"]), reason: reason, on: id,
                by: try call.principal().author, app: try call.inApp()
            )
            return .redirect(call.link("/campaigns/\(id)"), notice: .done(done))
        } catch let error as ServiceError {
            let problem = ErrorPage(error)
            let page = try await CampaignPages.shown(call) { view in
                if case .invalid(field: "reason", let error) = error {
                    view.review?.reason = reason
                    view.review?.reasonProblem = error.message
                } else {
                    view.problem = problem.sentence
                }
            }
            return .pageWithStatus(page, problem.status)
        }
    }
}

/// The page with all comments on a campaign.
struct CommentListModel: Sendable {
    static let pageSize = 50

    let campaignName: String
    let campaignAddress: String
    let commentLines: [CommentsModel.Line]
    let hasNoComments: Bool
    let olderAddress: String?
    let reviewToken: String

    init(_ found: [CampaignReviewService.Comment], campaign: String, view: ReviewView, formToken: String) {
        let shown = found.prefix(Self.pageSize)
        campaignName = campaign
        campaignAddress = view.page
        commentLines = shown.map { CommentsModel.line($0, view) }
        hasNoComments = found.isEmpty
        olderAddress =
            found.count > shown.count ? shown.last.map { "\(view.page)/comments?before=\($0.id)" } : nil
        reviewToken = formToken
    }
}
