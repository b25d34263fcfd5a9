import BelfryModel
import BelfryServerModel
import BelfryStore

/// Which campaigns a list shows (CON-5).
package struct CampaignFilter: Hashable, Sendable {
    /// Characters of a search.
    package static let maximumTextLength = 200

    /// What stands somewhere in the name, in whatever case; empty: any name.
    package let text: String
    package let status: CampaignStatus?
    package let kind: CampaignKind?

    package init(text: String = "", status: CampaignStatus? = nil, kind: CampaignKind? = nil) {
        self.text = String(
            String.UnicodeScalarView(ReviewText.trimmed(text).unicodeScalars.prefix(Self.maximumTextLength))
        )
        self.status = status
        self.kind = kind
    }

    package var isEmpty: Bool { text.isEmpty && status == nil && kind == nil }

    /// By the bytes of the two texts in lower case.
    package func matches(_ campaign: CampaignSummary) -> Bool {
        guard status.map({ $0 == campaign.status }) ?? true, kind.map({ $0 == campaign.kind }) ?? true else {
            return false
        }
        return text.isEmpty || campaign.name.lowercased().utf8.contains(text.lowercased().utf8)
    }
}

/// A part of a list that was searched.
package struct FoundCampaigns: Sendable {
    /// Newest first.
    package let campaigns: [CampaignSummary]
    /// The id to go on below; nil when all were looked at.
    package let next: Int64?
    /// Whether it ends because so many campaigns were looked at, not because the page is full.
    package let isCutShort: Bool

    package init(campaigns: [CampaignSummary], next: Int64?, isCutShort: Bool) {
        self.campaigns = campaigns
        self.next = next
        self.isCutShort = isCutShort
    }
}

/// Looks for campaigns in the list of an app (CON-5).
package struct CampaignSearch: Sendable {
    let database: any SQLDatabase

    package init(database: any SQLDatabase) {
        self.database = database
    }

    /// Campaigns that one search looks at; the next one goes on behind them (ADM-7).
    package static let searchedAtOnce = 2_000

    /// The campaigns that a filter lets through, newest first. However many there are, at most ``searchedAtOnce`` are
    /// read, by an index.
    ///
    /// - Parameter cursor: the id to go on below.
    package func find(
        _ filter: CampaignFilter, app: AppRecord, before cursor: Int64?, limit: Int
    ) async throws -> FoundCampaigns {
        // What is filtered by the index alone fills a page by itself.
        let reads = filter.text.isEmpty && filter.kind == nil ? limit + 1 : Self.searchedAtOnce
        let read = try await database.read { connection in
            if let status = filter.status {
                return try connection.campaigns.list(app: app.id, status: status, before: cursor, limit: reads)
            }
            return try connection.campaigns.list(app: app.id, before: cursor, limit: reads)
        }
        let found = read.filter(filter.matches)
        let shown = Array(found.prefix(limit))
        if found.count > limit {
            return FoundCampaigns(campaigns: shown, next: shown.last?.id.number, isCutShort: false)
        }
        let isCutShort = read.count == reads
        return FoundCampaigns(campaigns: shown, next: isCutShort ? read.last?.id.number : nil, isCutShort: isCutShort)
    }
}
