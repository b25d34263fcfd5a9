import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// The versions of campaigns: each edit creates one, with its author and time (CON-5).
package struct CampaignVersionService: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment
    /// Signals work to the worker that plans and ends in-app campaigns.
    let inAppWork: AsyncSignal

    package init(database: any SQLDatabase, environment: ServerEnvironment, inAppWork: AsyncSignal) {
        self.database = database
        self.environment = environment
        self.inAppWork = inAppWork
    }

    private var writer: CampaignWriter { CampaignWriter(database: database, environment: environment) }
}

extension CampaignVersionService {
    /// A version, as the layers above use it.
    package typealias Version = CampaignVersionRow

    /// Two versions and their differences.
    package struct Comparison: Sendable {
        /// The earlier version; nil if the other one is the first that is kept.
        package let from: Version?
        package let to: Version
        package let differences: DraftDifferences
        /// The content of the earlier version; nil if there is none.
        package let before: CampaignDraft?
        package let after: CampaignDraft
    }

    /// A campaign's content at the start of an edit.
    package struct Edited: Sendable {
        package let campaign: Campaign
        /// The draft. For a launched in-app message the change that waits to be published, if there is one.
        package let draft: CampaignDraft
        /// The number of the waiting change; nil if there is none.
        package let waiting: Int64?
        /// The number of the version with this draft; nil for a campaign that was last saved before versions were
        /// recorded.
        package let number: Int64?
        /// Whether it is a launched in-app message that can still be changed.
        package let isPublished: Bool
    }

    package func edited(_ id: CampaignID, app: AppRecord) async throws -> Edited {
        try await database.read { connection in
            let lookup = AppLookup(connection: connection, app: app.id)
            let row = try lookup.campaign(id)
            let change = try lookup.waitingChange(of: row)
            return Edited(
                campaign: row.campaign, draft: change?.draft ?? row.campaign.draft, waiting: change?.number,
                number: try connection.campaignVersions.newest(of: id)?.number, isPublished: row.isPublished
            )
        }
    }

    /// A page of versions, newest first, with numbers below the cursor.
    package func list(
        of id: CampaignID, app: AppRecord, before cursor: Int64?, limit: Int
    ) async throws -> [Version] {
        try await database.read { connection in
            _ = try AppLookup(connection: connection, app: app.id).campaign(id)
            return try connection.campaignVersions.list(of: id, before: cursor, limit: limit)
        }
    }

    package func find(
        _ number: Int64, of id: CampaignID, app: AppRecord
    ) async throws -> (version: Version, draft: CampaignDraft) {
        try await database.read { connection in
            _ = try AppLookup(connection: connection, app: app.id).campaign(id)
            return try Self.version(number, of: id, in: connection)
        }
    }

    /// The differences between two versions. The time grows with their size, so no database connection is held
    /// meanwhile, and callers limit how many run at the same time (SEC-8).
    ///
    /// - Parameter earlier: the version to compare with; nil for the one before.
    package func compare(
        _ number: Int64, with earlier: Int64?, of id: CampaignID, app: AppRecord
    ) async throws -> Comparison {
        let (from, to) = try await database.read { connection in
            _ = try AppLookup(connection: connection, app: app.id).campaign(id)
            let to = try Self.version(number, of: id, in: connection)
            let other = try earlier ?? connection.campaignVersions.list(of: id, before: number, limit: 1).first?.number
            return (try other.map { try Self.version($0, of: id, in: connection) }, to)
        }
        return Comparison(
            from: from?.version, to: to.version, differences: try DraftDifferences(from: from?.draft, to: to.draft),
            before: from?.draft, after: to.draft
        )
    }

    /// Restores the content of an earlier version of a draft. That is an edit, with a version of its own.
    ///
    /// - Parameter version: the version that the editor has looked at; nil to skip that check.
    package func restore(
        _ number: Int64, of id: CampaignID, from version: DraftVersion? = nil, by editor: Author?, app: AppRecord
    ) async throws -> Campaign {
        let draft = try await find(number, of: id, app: app).draft
        return try await writer.change(
            id, app: app, by: editor,
            checking: { row in row.campaign.status == .draft ? draft : nil }
        ) { connection, row, result, _ in
            try (version ?? DraftVersion(row.campaign.draft)).requireDraft(row.campaign)
            row.campaign.draft = try CampaignCheckResult.checked(draft, by: result, app: app.id, in: connection)
        }
    }

    /// Saves a change of a launched in-app message as a version that waits to be published, so that it can be reviewed
    /// and approved.
    ///
    /// - Parameters:
    ///   - resetDisplays: whether displays are counted from zero again once it is published.
    ///   - version: the version that the editor began with; nil to skip that check.
    package func propose(
        _ draft: CampaignDraft, of id: CampaignID, resetDisplays: Bool = false, from version: DraftVersion? = nil,
        by editor: Author?, app: AppRecord
    ) async throws -> Version {
        let now = environment.now()
        return try await writer.checking(app: app) { connection in
            let row = try AppLookup(connection: connection, app: app.id).campaign(id)
            return row.isPublished ? draft.inPlace(of: row.campaign.draft).draft : nil
        } write: { result in
            try await database.write { connection in
                let lookup = AppLookup(connection: connection, app: app.id)
                let row = try lookup.campaign(id)
                guard row.isPublished else { throw ServiceError.notProposable(row.campaign) }
                try lookup.require(row, at: version)
                let edited = draft.inPlace(of: row.campaign.draft)
                try ServiceError.reject(edited.errors)
                let checked = try CampaignCheckResult.checked(edited.draft, by: result, app: app.id, in: connection)
                let number = try connection.campaignVersions.insert(
                    checked, of: id, app: app.id, by: editor, isPublished: false, resetsDisplays: resetDisplays,
                    now: now
                )
                return try Self.version(number, of: id, in: connection).version
            }
        }
    }

    /// Publishes the newest version of a launched in-app message, which waits for that.
    package func publish(_ number: Int64, of id: CampaignID, by editor: Author?, app: AppRecord) async throws
        -> Campaign
    {
        defer { inAppWork.announce() }
        let draft = try await find(number, of: id, app: app).draft
        return try await writer.change(
            id, app: app, by: editor, checking: { row in row.isPublished ? draft : nil }
        ) { connection, row, result, now in
            guard row.isPublished else { throw ServiceError.notProposable(row.campaign) }
            let newest = try connection.campaignVersions.newest(of: id)
            guard let newest, newest.number == number else { throw ServiceError.outdatedVersion(newest?.number) }
            guard !newest.isPublished else { return }
            let present = row.campaign.inAppVersion
            try InAppPublication(connection: connection, now: now).publishAnew(
                &row, as: draft, by: result, resetsDisplays: newest.resetsDisplays
            )
            guard row.campaign.inAppVersion != present else {
                // The version equals the published content, so it no longer waits.
                return try connection.campaignVersions.publish(number, of: id)
            }
            try CampaignReview(connection: connection).requireApproval(
                of: row, resetsDisplays: newest.resetsDisplays
            )
        }
    }

    private static func version(
        _ number: Int64, of id: CampaignID, in connection: any SQLConnection
    ) throws -> (version: Version, draft: CampaignDraft) {
        guard let version = try connection.campaignVersions.find(number, of: id),
            let draft = try connection.campaignVersions.content(number, of: id)
        else { throw ServiceError.notFound(what: "version", id: String(number)) }
        return (version, draft)
    }
}

extension ServiceError {
    fileprivate static func notProposable(_ campaign: Campaign) -> ServiceError {
        .conflict(
            message: """
                Campaign \(campaign.id) is \(campaign.status.rawValue) and of kind '\(campaign.draft.kind.rawValue)'. \
                Only a launched in-app message has versions that wait to be published.
                """
        )
    }

    static func outdatedVersion(_ newest: Int64?) -> ServiceError {
        .conflict(
            code: "outdatedVersion",
            message: newest.map { "The campaign has been edited since: its newest version is \($0)." }
                ?? "The author of this campaign is not known. Save it again."
        )
    }
}
