import BelfryModel
import BelfryServerModel
import BelfryStore

/// Checks that a second person has approved the campaign's content (CON-5). It runs in the transaction that launches or
/// publishes.
struct CampaignReview {
    let connection: any SQLConnection

    /// Throws when the app requires an approval, and the version to launch or publish has none.
    ///
    /// - Parameters:
    ///   - row: the campaign as it would be launched or published.
    ///   - resetsDisplays: whether displays would be counted from zero again.
    func requireApproval(of row: CampaignRow, resetsDisplays: Bool = false) throws {
        guard try connection.apps.find(id: row.app)?.settings.asksForApproval ?? false else { return }
        guard let newest = try connection.campaignVersions.newest(of: row.id),
            newest.resetsDisplays == resetsDisplays || row.campaign.launchedAt == nil,
            // Compared as bytes: texts that are equal in Swift (`K` and the Kelvin sign) are different in a script or
            // an address.
            let content = try connection.campaignVersions.content(newest.number, of: row.id),
            try DraftVersion(content) == DraftVersion(row.campaign.draft)
        else { throw ServiceError.approvalRequired(of: row.campaign, version: nil) }
        let decision = try connection.campaignApprovals.list(of: row.id, limit: 1).first
        guard ReviewRule.status(of: newest.number, after: decision?.summary) == .approved else {
            throw ServiceError.approvalRequired(of: row.campaign, version: newest.number)
        }
    }

    /// Throws if a rehearsal cannot support an approval: it belongs to another campaign or version, or has not ended.
    func check(rehearsal id: Int64, of campaign: CampaignID, saying draft: CampaignDraft) throws {
        guard let rehearsal = try connection.rehearsals.find(id), rehearsal.campaign == campaign else {
            throw ServiceError.invalid("rehearsal", "unknownRehearsal", "This campaign has no rehearsal \(id).")
        }
        guard try rehearsal.version == DraftVersion(draft).text else {
            throw ServiceError.invalid(
                "rehearsal", "otherVersion", "Rehearsal \(id) is of another version. Rehearse this one."
            )
        }
        guard rehearsal.status == .done else {
            throw ServiceError.invalid(
                "rehearsal", "notCompleted", "Rehearsal \(id) is not completed. Wait for it, or begin another one."
            )
        }
    }

    /// The newest completed rehearsal of a version; nil if none of the campaign's newest rehearsals is one.
    func rehearsal(of campaign: CampaignID, saying draft: CampaignDraft) throws -> Int64? {
        let version = try DraftVersion(draft).text
        return try connection.rehearsals.list(of: campaign, limit: Self.searchedRehearsals)
            .first { $0.status == .done && $0.version == version }?.id
    }

    /// How many of the newest rehearsals are searched for one of a version.
    private static let searchedRehearsals = 20
}

extension CampaignApprovalRow {
    var summary: ReviewRule.Decision { ReviewRule.Decision(version: version, kind: decision) }
}

/// Rules for decisions about versions.
package enum ReviewRule {
    /// The approval status of a campaign's newest version.
    package enum Status: String, Hashable, Sendable, Codable, CaseIterable {
        /// Nobody has requested an approval, or the content was edited since.
        case open
        case requested
        case approved
        case rejected
    }

    /// The newest decision about a campaign.
    package struct Decision: Hashable, Sendable {
        package let version: Int64
        package let kind: CampaignDecision

        package init(version: Int64, kind: CampaignDecision) {
            self.version = version
            self.kind = kind
        }
    }

    /// The status after the newest decision. A decision about an earlier version does not count: each edit invalidates
    /// an approval.
    package static func status(of newest: Int64?, after decision: Decision?) -> Status {
        guard let newest, let decision, decision.version == newest else { return .open }
        return switch decision.kind {
        case .requested: .requested
        case .approved: .approved
        case .rejected: .rejected
        }
    }

    /// The error for a decision that the author may not make; nil if they may.
    ///
    /// - Parameters:
    ///   - campaign: the campaign of the version.
    ///   - newest: the campaign's newest version.
    ///   - version: the version that the author has looked at.
    package static func error(
        of decision: CampaignDecision, about version: Int64, newest: CampaignVersionRow?, campaign: Campaign,
        by author: Author
    ) -> ServiceError? {
        guard let newest, newest.number == version else { return .outdatedVersion(newest?.number) }
        guard campaign.status == .draft || !newest.isPublished else {
            return .conflict(
                code: "nothingToApprove",
                message: """
                    Campaign \(campaign.id) is \(campaign.status.rawValue), and no change of it waits for an approval.
                    """
            )
        }
        guard decision == .approved else { return nil }
        guard let editor = newest.author else {
            return .conflict(
                code: "unknownEditor",
                message:
                    "The author of version \(version) is not known. Save the campaign again, then approve that version."
            )
        }
        guard editor.author != author else {
            return .conflict(
                code: "ownVersion",
                message: "You edited version \(version) yourself. Another person has to approve it."
            )
        }
        return nil
    }
}

extension ServiceError {
    fileprivate static func approvalRequired(of campaign: Campaign, version: Int64?) -> ServiceError {
        let what =
            version.map { "version \($0) of campaign \(campaign.id)" }
            ?? "the current content of campaign \(campaign.id)"
        let how =
            switch campaign.status {
            case .draft: "A person who did not edit it has to approve it after a rehearsal."
            case .paused where campaign.isPausedBeforeLaunch:
                """
                A launched campaign can no longer be approved: make a copy of it, and let another person approve that \
                after a rehearsal.
                """
            default:
                """
                Save the change as a version that waits (POST …/versions), let another person approve it after a \
                rehearsal, and publish it then.
                """
            }
        return .conflict(
            code: "approvalRequired", message: "The app requires an approval, and nobody has approved \(what). \(how)"
        )
    }
}
