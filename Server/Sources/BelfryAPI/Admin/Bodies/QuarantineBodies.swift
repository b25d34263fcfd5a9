import BelfryModel
import BelfryServices

/// `GET /api/v1/quarantine`, newest first: work in quarantine, because it failed or ended the process each time
/// (SEC-8).
package struct QuarantineResponse: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        /// The id by which `retry` and `DELETE` name the work.
        package var id: String
        /// `registration`, `batch`, `plan`, `silentPush`, `recall`, `upkeep`, `attributeReview`, `contactFollowing` or
        /// `eventMove`.
        package var kind: String
        /// The app of the work; nil for upkeep.
        package var app: String?
        /// The campaign of the work, for a batch, a plan or a recall.
        package var campaign: String?
        /// How often the work was started by itself and did not finish.
        package var attempts: Int
        package var reason: String
        package var since: String
    }

    package var work: [Entry]
    /// The cursor of the next page; nil on the last one.
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
