import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// `POST …/comments` (CON-5).
package struct CampaignCommentRequest: Hashable, Sendable, Codable {
    package var text: String

    package init(text: String) {
        self.text = text
    }
}

extension CampaignCommentRequest: Described {
    static let schema: JSONSchema = .object(
        ["text": .string(CampaignReviewService.commentLengths)], isClosed: true
    )
}

/// A comment on a campaign.
package struct CampaignCommentResponse: Hashable, Sendable, Codable {
    package var id: String
    package var author: AuthorResponse
    package var createdAt: String
    package var text: String

    package init(id: String, author: AuthorResponse, createdAt: String, text: String) {
        self.id = id
        self.author = author
        self.createdAt = createdAt
        self.text = text
    }
}

extension CampaignCommentResponse {
    init(_ comment: CampaignReviewService.Comment) {
        self.init(
            id: String(comment.id), author: AuthorResponse(comment.author), createdAt: Timestamp.text(comment.at),
            text: comment.text
        )
    }
}

extension CampaignCommentResponse: Described {
    static let schema: JSONSchema = .object([
        "id": .string(), "author": .of(AuthorResponse.self), "createdAt": .of(Timestamp.self), "text": .string(),
    ])
}

/// `GET …/comments`.
package struct CampaignCommentListResponse: Hashable, Sendable, Codable {
    package var comments: [CampaignCommentResponse]
    package var cursor: String?

    package init(comments: [CampaignCommentResponse], cursor: String?) {
        self.comments = comments
        self.cursor = cursor
    }
}

extension CampaignCommentListResponse: Described {
    static let schema: JSONSchema = .object(
        ["comments": .list(of: .of(CampaignCommentResponse.self))], optional: ["cursor": .cursor]
    )
}

/// `POST …/approval` (CON-5).
package struct CampaignApprovalRequest: Hashable, Sendable, Codable {
    package var version: Int64
    package var decision: CampaignDecision
    /// An approval needs a rehearsal.
    package var rehearsal: String?
    /// A rejection needs a reason.
    package var reason: String?

    package init(version: Int64, decision: CampaignDecision, rehearsal: String? = nil, reason: String? = nil) {
        self.version = version
        self.decision = decision
        self.rehearsal = rehearsal
        self.reason = reason
    }
}

extension CampaignApprovalRequest: Described {
    static let schema: JSONSchema = .object(
        [
            "version": .integer(1...Int32.max).described("The newest version, which the caller has looked at."),
            "decision": .of(CampaignDecision.self),
        ],
        optional: [
            "rehearsal": .string().described("A completed rehearsal of this version; `approved` needs one."),
            "reason": .string(CampaignReviewService.reasonLengths).described("Why; `rejected` needs one."),
        ],
        isClosed: true
    )
}

extension CampaignDecision: Described {
    static let schema: JSONSchema = .cases(of: CampaignDecision.self).described(
        "`requested` asks for an approval; `approved` and `rejected` need a key of the scope `admin`.")
}

/// `GET …/approval`.
package struct CampaignApprovalResponse: Hashable, Sendable, Codable {
    package struct Decision: Hashable, Sendable, Codable {
        package var version: Int64
        package var decision: CampaignDecision
        package var decidedAt: String
        package var author: AuthorResponse?
        package var rehearsal: String?
        package var reason: String?

        package init(
            version: Int64, decision: CampaignDecision, decidedAt: String, author: AuthorResponse?,
            rehearsal: String?, reason: String?
        ) {
            self.version = version
            self.decision = decision
            self.decidedAt = decidedAt
            self.author = author
            self.rehearsal = rehearsal
            self.reason = reason
        }
    }

    package var isRequired: Bool
    package var status: ReviewRule.Status
    /// The campaign's newest version.
    package var version: Int64?
    /// The newest completed rehearsal of that version.
    package var rehearsal: String?
    package var decisions: [Decision]

    package init(
        isRequired: Bool, status: ReviewRule.Status, version: Int64?, rehearsal: String?, decisions: [Decision]
    ) {
        self.isRequired = isRequired
        self.status = status
        self.version = version
        self.rehearsal = rehearsal
        self.decisions = decisions
    }
}

extension CampaignApprovalResponse {
    init(_ approval: CampaignApproval) {
        self.init(
            isRequired: approval.isRequired, status: approval.status, version: approval.version?.number,
            rehearsal: approval.rehearsal.map { String($0) },
            decisions: approval.decisions.map { decision in
                Decision(
                    version: decision.version, decision: decision.decision, decidedAt: Timestamp.text(decision.at),
                    author: decision.author.map(AuthorResponse.init), rehearsal: decision.rehearsal.map { String($0) },
                    reason: decision.reason
                )
            }
        )
    }
}

extension CampaignApprovalResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "isRequired": .boolean.described("Whether the app requires an approval."),
            "status": .cases(of: ReviewRule.Status.self).described(
                "Of the newest version: `open` when nobody has decided about it yet."),
            "decisions": .list(
                of: .object(
                    [
                        "version": .integer(1...Int32.max), "decision": .of(CampaignDecision.self),
                        "decidedAt": .of(Timestamp.self),
                    ],
                    optional: [
                        "author": .of(AuthorResponse.self), "rehearsal": .string(), "reason": .string(),
                    ]
                ),
                0...CampaignApproval.maximumListed
            )
            .described("Newest first, including decisions about earlier versions."),
        ],
        optional: [
            "version": .integer(1...Int32.max).described("The newest version."),
            "rehearsal": .string().described("The newest completed rehearsal of that version."),
        ]
    )
}
