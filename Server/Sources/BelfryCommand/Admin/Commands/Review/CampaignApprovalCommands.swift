import ArgumentParser
import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation

// Commands by which a second person approves a campaign's content (CON-5).

struct CampaignApprovalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approval", abstract: "Show whether a campaign is approved, and who has decided what."
    )

    @OptionGroup var target: CampaignTarget

    func run() async throws {
        let answer: CampaignApprovalResponse = try await target.admin.withClient { client in
            try await client.call(CampaignReviewRoutes.readApproval, target.app, target.id)
        }
        try target.admin.show(answer) { $0.text }
    }
}

struct CampaignApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Approve the newest version of a campaign.",
        discussion: """
            Look at it and at its rehearsal before. The editor of the version cannot approve it. The key needs the \
            scope admin.
            """
    )

    @OptionGroup var target: CampaignTarget
    @OptionGroup var decision: DecisionOptions

    func run() async throws { try await decision.decide(.approved, on: target) }
}

struct CampaignRejectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reject", abstract: "Reject the newest version of a campaign, and say why."
    )

    @OptionGroup var target: CampaignTarget
    @OptionGroup var decision: DecisionOptions

    func validate() throws {
        guard decision.reason != nil else { throw ValidationError("Say why with --reason.") }
    }

    func run() async throws { try await decision.decide(.rejected, on: target) }
}

struct CampaignRequestApprovalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request-approval", abstract: "Ask for the approval of the newest version of a campaign."
    )

    @OptionGroup var target: CampaignTarget
    @OptionGroup var decision: DecisionOptions

    func run() async throws { try await decision.decide(.requested, on: target) }
}

struct DecisionOptions: ParsableArguments {
    @Option(help: "The version that you have looked at. (default: the newest)")
    var version: Int64?
    @Option(help: "The rehearsal that you have looked at. (default: the newest completed one of the version)")
    var rehearsal: String?
    @Option(help: "Why, in a sentence.")
    var reason: String?

    func decide(_ decision: CampaignDecision, on target: CampaignTarget) async throws {
        let answer = try await target.admin.withClient { client -> CampaignApprovalResponse in
            let present: CampaignApprovalResponse = try await client.call(
                CampaignReviewRoutes.readApproval, target.app, target.id
            )
            guard let version = version ?? present.version else {
                throw ValidationError("The author of this campaign is not known. Save it again.")
            }
            let request = CampaignApprovalRequest(
                version: version, decision: decision, rehearsal: rehearsal ?? present.rehearsal, reason: reason
            )
            return try await client.call(CampaignReviewRoutes.decideApproval, target.app, target.id, body: request)
        }
        try target.admin.show(answer) { $0.text }
    }
}

extension CampaignApprovalResponse {
    fileprivate var text: String {
        let state = version.map { "Version \($0): \(status.rawValue)." } ?? "The author of this campaign is not known."
        let need = isRequired ? "The app requires an approval." : "The app requires no approval."
        guard !decisions.isEmpty else { return "\(state) \(need)" }
        var table = TextTable("VERSION", "DECISION", "WHEN", "BY", "REHEARSAL", "REASON")
        for decision in decisions {
            table.add(
                "\(decision.version)", decision.decision.rawValue, decision.decidedAt, decision.author.words,
                decision.rehearsal ?? "", decision.reason?.printable ?? ""
            )
        }
        return "\(state) \(need)\n\n\(table.text)"
    }
}

/// Adds, deletes and lists comments on a campaign.
struct CampaignCommentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "comment", abstract: "Comment on a campaign, or delete a comment; then list them, newest first."
    )

    @OptionGroup var target: CampaignTarget
    @OptionGroup var list: ListOptions
    @Argument(help: "The comment.")
    var text: String?
    @Option(help: "Delete the comment with this id instead.")
    var delete: String?

    func validate() throws {
        guard text == nil || delete == nil else { throw ValidationError("Use a text or --delete, not both.") }
    }

    func run() async throws {
        try await target.admin.withClient { client in
            if let delete {
                try await client.call(CampaignReviewRoutes.deleteComment, target.app, target.id, delete)
            }
            if let text {
                let _: CampaignCommentResponse = try await client.call(
                    CampaignReviewRoutes.createComment, target.app, target.id, body: CampaignCommentRequest(text: text)
                )
            }
            let answer = try await list.collect(
                \CampaignCommentListResponse.comments, \.cursor, pagesOf: CampaignReviewRoutes.page
            ) { query in
                try await client.call(CampaignReviewRoutes.listComments, target.app, target.id, query: query)
            }
            try target.admin.show(answer) { answer in
                guard !answer.comments.isEmpty else { return "There are no comments." }
                var table = TextTable("ID", "WHEN", "BY", "TEXT")
                for comment in answer.comments {
                    table.add(comment.id, comment.createdAt, Optional(comment.author).words, comment.text)
                }
                return list.text(table, cursor: answer.cursor)
            }
        }
    }
}
