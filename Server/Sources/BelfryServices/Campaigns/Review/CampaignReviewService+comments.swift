import BelfryModel
import BelfryServerModel
import BelfryStore
import Crypto
import Foundation

/// Comments of people who work on a campaign (CON-5).
extension CampaignReviewService {
    /// A comment, as the layers above use it.
    package typealias Comment = CampaignCommentRow

    /// The allowed number of characters of a comment.
    package static let commentLengths = 1...2_000
    /// The most comments on one campaign.
    package static let maximumComments = 1_000

    /// A page of comments, newest first, with numbers below the cursor.
    package func comments(
        on id: CampaignID, app: AppRecord, before cursor: Int64?, limit: Int
    ) async throws -> [Comment] {
        try await database.glance { connection in
            _ = try AppLookup(connection: connection, app: app.id).campaign(id)
            return try connection.campaignComments.list(on: id, before: cursor, limit: limit)
        }
    }

    package func comment(_ raw: String, on id: CampaignID, by author: Author, app: AppRecord) async throws -> Comment {
        let (text, now) = (try Self.commentText(raw), environment.now())
        return try await database.write { connection in
            try Self.insert(text, on: id, by: author, app: app, now: now, in: connection)
        }
    }

    /// Adds a comment from a form that may be submitted twice. With another text it is another comment.
    ///
    /// - Returns: the comment, and whether it was added now.
    package func comment(
        _ raw: String, once key: FormKey, on id: CampaignID, by author: Author, app: AppRecord
    ) async throws -> (comment: Comment, isNew: Bool) {
        let (text, now) = (try Self.commentText(raw), environment.now())
        let (form, hash) = ("comment:\(app.id):\(id)", Array(SHA256.hash(data: Data(text.utf8))))
        return try await database.write { connection in
            if let row = try key.earlier(form, now: now, connection), row.requestHash == hash,
                let number: Int64 = WholeNumber.read(row.body),
                let known = try connection.campaignComments.find(number, on: id)
            {
                return (known, false)
            }
            let comment = try Self.insert(text, on: id, by: author, app: app, now: now, in: connection)
            try key.note(String(comment.id), by: form, hash: hash, now: now, connection)
            return (comment, true)
        }
    }

    private static func commentText(_ raw: String) throws(ServiceError) -> String {
        let text = ReviewText.trimmed(raw)
        guard ReviewText.fits(text, commentLengths) else {
            throw .invalid(
                "text", "invalidLength",
                """
                A comment has \(commentLengths.lowerBound) to \(commentLengths.upperBound) characters, and no control \
                characters.
                """
            )
        }
        return text
    }

    private static func insert(
        _ text: String, on id: CampaignID, by author: Author, app: AppRecord, now: Date,
        in connection: any SQLConnection
    ) throws -> Comment {
        let row = try AppLookup(connection: connection, app: app.id).campaign(id)
        guard row.campaign.deletedAt == nil else {
            throw ServiceError.conflict(message: "Campaign \(id) was deleted, and its comments with it.")
        }
        guard try connection.campaignComments.count(on: id) < maximumComments else {
            throw ServiceError.conflict(
                message: "A campaign has at most \(maximumComments) comments. Delete some of them."
            )
        }
        return try connection.campaignComments.insert(text, on: id, by: author, now: now)
    }

    /// Deletes the author's own comment, or any comment if the author is an admin of the app.
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
