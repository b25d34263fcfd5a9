import BelfryModel
import BelfryServices

/// `GET /api/v1/quarantine`: work that is set aside, since it failed or ended the process each time (SEC-8). The newest
/// first.
package struct QuarantineResponse: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        /// Names it in `retry` and in `DELETE`.
        package var id: String
        /// `registration`, `batch`, `plan`, `silentPush`, `recall`, `upkeep`, `attributeReview`, `contactFollowing` or
        /// `eventMove`.
        package var kind: String
        /// The app that it belongs to; upkeep belongs to none.
        package var app: String?
        /// The campaign that it belongs to, of a batch, a plan or a recall.
        package var campaign: String?
        /// How often it was begun alone without an end.
        package var attempts: Int
        package var reason: String
        package var since: String
    }

    package var work: [Entry]
    /// Asks for what comes next; nil at the end.
    package var cursor: String?

    package init(work: [Entry], cursor: String? = nil) {
        self.work = work
        self.cursor = cursor
    }
}

extension QuarantineResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "work": .list(
                of: .object(
                    [
                        "id": .string(),
                        "kind": .word(QuarantinedWork.kinds),
                        "attempts": .count.described("How often it was tried alone without success."),
                        "reason": .string().described("Why it is quarantined, for people."),
                        "since": .of(Timestamp.self),
                    ],
                    optional: [
                        "app": .of(AppCode.self),
                        "campaign": .of(CampaignID.self).described("For a batch, a plan or a recall."),
                    ]
                )
            )
        ],
        optional: ["cursor": .cursor]
    )
}
