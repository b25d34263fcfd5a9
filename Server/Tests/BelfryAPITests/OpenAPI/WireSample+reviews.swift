import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

@testable import BelfryAPI

extension WireSample {
    private static let at = "2026-11-21T12:00:00.000Z"
    private static let author = AuthorResponse(type: .user, name: "anna", displayName: "Anna")

    static func reviews() throws -> [WireSample] {
        try versions() + decisions()
    }

    private static func versions() throws -> [WireSample] {
        let version = CampaignVersionResponse(
            version: 2, savedAt: at, author: author, isPublished: true, resetDisplays: false
        )
        let content = CampaignRequest(name: "Sale", kind: .push, audience: .everyone)
        return [
            try WireSample("AuthorResponse", author), try WireSample("CampaignVersionResponse", version),
            try WireSample(
                "CampaignVersionListResponse", CampaignVersionListResponse(versions: [version], cursor: "2")),
            try WireSample(
                "CampaignVersionContentResponse", CampaignVersionContentResponse(version: version, content: content)
            ),
            try WireSample(
                "CampaignDifferencesResponse",
                CampaignDifferencesResponse(
                    from: 1, to: 2, differences: [.init(field: "push.title", old: "Hi", new: "Hello")], others: 0
                )
            ),
        ]
    }

    private static func decisions() throws -> [WireSample] {
        let comment = CampaignCommentResponse(id: "7", author: author, createdAt: at, text: "Looks good.")
        let decision = CampaignApprovalResponse.Decision(
            version: 2, decision: .rejected, decidedAt: at, author: author, rehearsal: "7", reason: "Too long."
        )
        return [
            try WireSample("CampaignCommentRequest", CampaignCommentRequest(text: "Looks good.")),
            try WireSample("CampaignCommentResponse", comment),
            try WireSample(
                "CampaignCommentListResponse", CampaignCommentListResponse(comments: [comment], cursor: "7")),
            try WireSample(
                "CampaignApprovalRequest",
                CampaignApprovalRequest(version: 2, decision: .approved, rehearsal: "7", reason: "Good.")
            ),
            try WireSample(
                "CampaignApprovalResponse",
                CampaignApprovalResponse(
                    isRequired: true, status: .rejected, version: 2, rehearsal: "7", decisions: [decision]
                )
            ),
        ]
    }
}
