import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// What people who work on a campaign say to each other about it (CON-5).
extension CampaignReviewService {
    /// A comment as the layers above hand it on.
    package typealias Comment = CampaignCommentRow

    /// Characters of a comment.
    package static let commentLengths = 1...2_000
    /// Comments on one campaign.
    package static let maximumComments = 1_000

    /// Newest first; the cursor is the number to go on below.
    package func comments(
        on id: CampaignID, app: AppRecord, before cursor: Int64?, limit: Int
    ) async throws -> [Comment] {
        try await database.read { connection in
            _ = try AppLookup(connection: connection, app: app.id).campaign(id)
            return try connection.campaignComments.list(on: id, before: cursor, limit: limit)
        }
    }

    package func comment(_ raw: String, on id: CampaignID, by author: Author, app: AppRecord) async throws -> Comment {
        let text = ReviewText.trimmed(raw)
        guard ReviewText.fits(text, Self.commentLengths) else {
            throw ServiceError.invalid(
                "text", "invalidLength",
                """
                A comment has \(Self.commentLengths.lowerBound) to \(Self.commentLengths.upperBound) characters, and no \
                control characters.
                """
            )
        }
        let now = environment.now()
        return try await database.write { connection in
            let row = try AppLookup(connection: connection, app: app.id).campaign(id)
            guard row.campaign.deletedAt == nil else {
                throw ServiceError.conflict(message: "Campaign \(id) was deleted, and its comments with it.")
            }
            guard try connection.campaignComments.count(on: id) < Self.maximumComments else {
                throw ServiceError.conflict(
                    message: "A campaign has at most \(Self.maximumComments) comments. Delete some of them."
                )
            }
            return try connection.campaignComments.insert(text, on: id, by: author, now: now)
        }
    }

    /// Deletes a comment of one's own, or as an admin of the app.
    package func deleteComment(
        _ number: Int64, on id: CampaignID, by author: Author, isAdmin: Bool, app: AppRecord
    ) async throws {
        try await database.write { connection in
            _ = try AppLookup(connection: connection, app: app.id).campaign(id)
            guard let comment = try connection.campaignComments.find(number, on: id) else {
                throw ServiceError.notFound(what: "comment", id: String(number))
            }
            guard isAdmin || comment.author.author == author else {
                throw ServiceError.forbidden(
                    code: "forbidden", message: "Only its author and an admin of the app may delete a comment."
                )
            }
            try connection.campaignComments.delete(number)
        }
    }
}
