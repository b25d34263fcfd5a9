import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// The data for the part of a campaign's page with versions, approval and comments (CON-5).
struct ReviewView: Sendable {
    /// The number of comments on the campaign's page; a page of its own has all of them.
    static let shownComments = 20

    let approval: CampaignApproval
    /// The newest comments first. One more than is shown is read, to know whether there are more.
    let comments: [CampaignReviewService.Comment]
    /// The person who looks at the page.
    let reader: Author
    let rights: Set<UserRight>
    let zone: AppZone
    /// The address of the campaign's page.
    let page: String
    /// The texts that were refused, each with its error.
    var comment = ""
    var commentProblem: String?
    var reason = ""
    var reasonProblem: String?

    init(_ id: CampaignID, _ call: ConsoleCall) async throws {
        let app = try call.inApp()
        let reviews = call.services.campaignReviews
        approval = try await reviews.approval(of: id, app: app)
        comments = try await reviews.comments(on: id, app: app, before: nil, limit: Self.shownComments + 1)
        reader = try call.principal().author
        rights = try call.rights()
        zone = AppZone(app.settings)
        page = call.link("/campaigns/\(id)")
    }

    /// Whether a launch would be refused because an approval is missing.
    var lacksApproval: Bool { approval.isOpen && isUnapproved }

    /// Whether the app requires an approval that the newest version does not have.
    var isUnapproved: Bool { approval.isRequired && approval.status != .approved }
}

extension NamedAuthor {
    /// The author's name: `Anna`, `Anna Ace (ann@example.com)`, `the key key-7`. People choose their names and two may
    /// choose the same, so the sign-in name is added.
    var words: String {
        switch author {
        case .user:
            if let displayName, let userName {
                displayName.lowercased().utf8.elementsEqual(userName.utf8)
                    ? displayName.isolated : "\(displayName.isolated) (\(userName.isolated))"
            } else {
                displayName?.isolated ?? "a person who was removed"
            }
        case .key(let name): name == "root" ? "the root key" : "the key \(name.isolated)"
        }
    }
}

extension ReviewRule.Status {
    var chip: StatusChip {
        switch self {
        case .open: StatusChip(word: "Not approved", tone: "quiet")
        case .requested: StatusChip(word: "Approval requested", tone: "busy")
        case .approved: StatusChip(word: "Approved", tone: "good")
        case .rejected: StatusChip(word: "Rejected", tone: "bad")
        }
    }
}

extension CampaignDecision {
    fileprivate var verb: String {
        switch self {
        case .requested: "asked for an approval of"
        case .approved: "approved"
        case .rejected: "rejected"
        }
    }
}

/// The part of a campaign's page with versions, approval and comments.
struct ReviewModel: Sendable {
    struct DecisionLine: Sendable {
        let decisionTone: String
        let decisionTime: String
        let decisionSentence: String
        let decisionReason: String?
    }

    let approval: ApprovalModel?
    let versionSentence: String
    let historyAddress: String
    let comments: CommentsModel
    let reviewToken: String

    init(_ view: ReviewView, formToken: String) {
        approval = ApprovalModel(view)
        versionSentence = Self.sentence(view.approval.version, zone: view.zone)
        historyAddress = "\(view.page)/versions"
        comments = CommentsModel(view)
        reviewToken = formToken
    }

    private static func sentence(_ version: CampaignVersionService.Version?, zone: AppZone) -> String {
        guard let version else { return "Versions are kept from the next edit on." }
        let by = version.author.map { " by \($0.words)" } ?? ""
        return version.isPublished
            ? "Version \(version.number), saved\(by) at \(zone.text(version.savedAt))."
            : "Version \(version.number), saved\(by) at \(zone.text(version.savedAt)), waits to be published."
    }

    static func line(_ decision: CampaignApproval.Decision, zone: AppZone) -> DecisionLine {
        let tone =
            switch decision.decision {
            case .requested: "busy"
            case .approved: "good"
            case .rejected: "bad"
            }
        let who = decision.author?.words ?? "Somebody"
        let after = decision.rehearsal.map { " after rehearsal \($0)" } ?? ""
        return DecisionLine(
            decisionTone: tone, decisionTime: zone.text(decision.at),
            decisionSentence: "\(who) \(decision.decision.verb) version \(decision.version)\(after).",
            decisionReason: decision.reason
        )
    }
}

/// The approval of a campaign's newest version.
struct ApprovalModel: Sendable {
    /// The number of decisions that the page shows.
    static let shownDecisions = 5

    let approvalChip: StatusChip
    let approvalSentence: String
    let decisions: [ReviewModel.DecisionLine]
    let hasDecisions: Bool
    let requestAddress: String?
    let approveAddress: String?
    let rejectAddress: String?
    let approvedVersion: String
    let approveTitle: String
    let rejectTitle: String
    let approvalRehearsal: String?
    let evidenceAddress: String?
    let evidenceTitle: String
    let approvalReason: String
    let reasonProblem: String?

    /// Returns nil where no approval is required and no decision was made.
    init?(_ view: ReviewView) {
        let approval = view.approval
        guard let version = approval.version, approval.isRequired || !approval.decisions.isEmpty else { return nil }
        let isEditor = version.author?.author == view.reader
        let mayDecide = approval.isOpen && view.rights.contains(.approve)
        approvalChip = approval.status.chip
        approvalSentence = Self.sentence(view, version: version.number, isEditor: isEditor)
        decisions = approval.decisions.prefix(Self.shownDecisions).map { ReviewModel.line($0, zone: view.zone) }
        hasDecisions = !decisions.isEmpty
        let mayRequest = approval.isOpen && view.rights.contains(.compose) && approval.status == .open
        requestAddress = mayRequest ? "\(view.page)/approval/request" : nil
        let mayApprove = mayDecide && !isEditor && version.author != nil && approval.status != .approved
        approveAddress = mayApprove && approval.rehearsal != nil ? "\(view.page)/approval/approve" : nil
        rejectAddress = mayDecide && approval.status != .rejected ? "\(view.page)/approval/reject" : nil
        approvedVersion = String(version.number)
        approveTitle = "Approve version \(version.number)"
        rejectTitle = "Reject version \(version.number)"
        approvalRehearsal = approval.rehearsal.map { String($0) }
        let evidence = approval.rehearsal.map { "\(view.page)/rehearsals/\($0)" } ?? "\(view.page)/rehearsals"
        evidenceAddress = approval.isOpen ? evidence : nil
        evidenceTitle = approval.rehearsal.map { "Look at rehearsal \($0)" } ?? "To the rehearsal"
        approvalReason = view.reason
        reasonProblem = view.reasonProblem
    }

    private static func sentence(_ view: ReviewView, version: Int64, isEditor: Bool) -> String {
        let approval = view.approval
        guard approval.isOpen else { return "Nothing waits for an approval." }
        if approval.status == .approved {
            return "Version \(version) is approved. An edit takes the approval away."
        }
        if approval.rehearsal == nil {
            return "Version \(version) was not rehearsed yet. An approval refers to a rehearsal: begin one first."
        }
        let need = approval.isRequired ? "It is not sent before that." : "The app does not require it."
        if isEditor { return "You edited version \(version), so another person approves it. \(need)" }
        return "Version \(version) was rehearsed and can be approved by a person who did not edit it. \(need)"
    }
}

/// The comments on a campaign.
struct CommentsModel: Sendable {
    struct Line: Sendable {
        let commentAuthor: String
        let commentTime: String
        let commentParagraphs: [String]
        let commentDeleteAddress: String?
    }

    let commentLines: [Line]
    let hasNoComments: Bool
    let allCommentsAddress: String?
    let commentAddress: String?
    let commentText: String
    let commentProblem: String?
    let commentMaximum: Int

    init(_ view: ReviewView) {
        let shown = view.comments.prefix(ReviewView.shownComments)
        commentLines = shown.map { Self.line($0, view) }
        hasNoComments = view.comments.isEmpty
        allCommentsAddress = view.comments.count > shown.count ? "\(view.page)/comments" : nil
        commentAddress = view.rights.contains(.comment) ? "\(view.page)/comments" : nil
        commentText = view.comment
        commentProblem = view.commentProblem
        commentMaximum = CampaignReviewService.commentLengths.upperBound
    }

    static func line(_ comment: CampaignReviewService.Comment, _ view: ReviewView) -> Line {
        line(
            comment, zone: view.zone, page: view.page,
            mayDelete: view.rights.contains(.administer)
                || (view.rights.contains(.comment) && comment.author.author == view.reader)
        )
    }

    static func line(
        _ comment: CampaignReviewService.Comment, zone: AppZone, page: String, mayDelete: Bool
    ) -> Line {
        let paragraphs = comment.text.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
        return Line(
            commentAuthor: comment.author.words, commentTime: zone.text(comment.at), commentParagraphs: paragraphs,
            commentDeleteAddress: mayDelete ? "\(page)/comments/\(comment.id)/delete" : nil
        )
    }
}
