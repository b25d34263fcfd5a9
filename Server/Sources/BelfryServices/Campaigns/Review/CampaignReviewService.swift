import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// The state of the approval of a campaign's newest version (CON-5).
package struct CampaignApproval: Sendable {
    /// A decision, as the layers above use it.
    package typealias Decision = CampaignApprovalRow

    /// The most decisions that are listed.
    package static let maximumListed = 50

    /// Whether the app requires an approval.
    package let isRequired: Bool
    package let status: ReviewRule.Status
    /// The newest version; nil for a campaign that was last saved before versions were recorded.
    package let version: CampaignVersionService.Version?
    /// The newest completed rehearsal of the newest version.
    package let rehearsal: Int64?
    /// Newest first, including decisions about earlier versions.
    package let decisions: [Decision]
    /// Whether there is something to approve: a draft, or a change of a launched message that waits to be published.
    package let isOpen: Bool
}

/// Approvals of campaigns by a second person, and comments on them (CON-5).
package struct CampaignReviewService: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment

    package init(database: any SQLDatabase, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }
}

extension CampaignReviewService {
    /// The most decisions about one campaign.
    package static let maximumDecisions = 1_000
    /// The allowed number of characters of a reason.
    package static let reasonLengths = 1...2_000

    package func approval(of id: CampaignID, app: AppRecord) async throws -> CampaignApproval {
        try await database.glance { connection in
            let row = try AppLookup(connection: connection, app: app.id).campaign(id)
            return try Self.approval(of: row, in: connection)
        }
    }

    /// Requests an approval, approves, or rejects. Repeating a decision changes nothing.
    ///
    /// - Parameters:
    ///   - version: the version that the author has looked at.
    ///   - rehearsal: a rehearsal of that version; required for an approval.
    ///   - reason: required for a rejection.
    @discardableResult
    package func decide(
        _ decision: CampaignDecision, version: Int64, rehearsal: Int64?, reason rawReason: String?, on id: CampaignID,
        by author: Author, app: AppRecord
    ) async throws -> CampaignApproval {
        let reason = try Self.reason(rawReason, for: decision)
        let now = environment.now()
        return try await database.write { connection in
            let row = try AppLookup(connection: connection, app: app.id).campaign(id)
            let newest = try connection.campaignVersions.newest(of: id)
            let error = ReviewRule.error(
                of: decision, about: version, newest: newest, campaign: row.campaign, by: author
            )
            if let error { throw error }
            if decision == .approved, rehearsal == nil {
                throw ServiceError.invalid("rehearsal", "missing", "An approval refers to a rehearsal of the version.")
            }
            if let rehearsal {
                let content = try connection.campaignVersions.content(version, of: id) ?? row.campaign.draft
                try CampaignReview(connection: connection).check(rehearsal: rehearsal, of: id, saying: content)
            }
            let last = try connection.campaignApprovals.list(of: id, limit: 1).first
            let isRepeated =
                last?.version == version && last?.decision == decision && last?.rehearsal == rehearsal
                && last?.author?.author == author && last?.reason == reason
            if !isRepeated {
                guard try connection.campaignApprovals.count(of: id) < Self.maximumDecisions else {
                    throw ServiceError.conflict(
                        message: "There are \(Self.maximumDecisions) decisions about this campaign. Duplicate it."
                    )
                }
                try connection.campaignApprovals.insert(
                    decision, version: version, of: id, rehearsal: rehearsal, reason: reason, by: author, now: now
                )
            }
            return try Self.approval(of: row, in: connection)
        }
    }

    private static func approval(of row: CampaignRow, in connection: any SQLConnection) throws -> CampaignApproval {
        let newest = try connection.campaignVersions.newest(of: row.id)
        let decisions = try connection.campaignApprovals.list(of: row.id, limit: CampaignApproval.maximumListed)
        let content = try newest.flatMap { try connection.campaignVersions.content($0.number, of: row.id) }
        return CampaignApproval(
            isRequired: try connection.apps.find(id: row.app)?.settings.asksForApproval ?? false,
            status: ReviewRule.status(of: newest?.number, after: decisions.first?.summary), version: newest,
            rehearsal: try content.flatMap {
                try CampaignReview(connection: connection).rehearsal(of: row.id, saying: $0)
            },
            decisions: decisions, isOpen: row.campaign.status == .draft || newest?.isPublished == false
        )
    }

    /// The approval status of each of these campaigns, for a list.
    package func approvals(of ids: [CampaignID], app: AppRecord) async throws -> [CampaignID: ReviewRule.Status] {
        guard !ids.isEmpty else { return [:] }
        let numbers = ids.map(\.number)
        return try await database.read { connection in
            let newest = try connection.campaignVersions.newest(of: numbers)
            let decisions = try connection.campaignApprovals.newest(of: numbers)
            return ids.reduce(into: [:]) { statuses, id in
                statuses[id] = ReviewRule.status(
                    of: newest[id.number],
                    after: decisions[id.number].map { ReviewRule.Decision(version: $0.version, kind: $0.decision) }
                )
            }
        }
    }

    private static func reason(_ raw: String?, for decision: CampaignDecision) throws(ServiceError) -> String? {
        let text = ReviewText.trimmed(raw ?? "")
        guard !text.isEmpty else {
            guard decision != .rejected else {
                throw .invalid("reason", "blank", "Say why, so that the author knows what to change.")
            }
            return nil
        }
        guard ReviewText.fits(text, reasonLengths) else {
            throw .invalid(
                "reason", "invalidLength", "A reason has at most \(reasonLengths.upperBound) characters of text."
            )
        }
        return text
    }
}

/// Rules for comments and reasons.
enum ReviewText {
    /// The text without white space at its ends.
    static func trimmed(_ raw: String) -> String {
        raw.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Whether the text's length in code points is allowed, and its only control characters are line feeds and tabs.
    static func fits(_ text: String, _ lengths: ClosedRange<Int>) -> Bool {
        let scalars = text.unicodeScalars
        return lengths.contains(scalars.count) && scalars.allSatisfy { $0.value >= 32 || $0 == "\n" || $0 == "\t" }
    }
}
