import BelfryModel
import BelfryServerModel
import BelfryStore

/// The filter of a campaign list (CON-5).
package struct CampaignFilter: Hashable, Sendable {
    /// The most characters of a search text.
    package static let maximumTextLength = 200

    /// A text that the name contains, regardless of case; empty for any name.
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

    /// Whether the campaign matches. The texts are compared as bytes, in lower case.
    package func matches(_ campaign: CampaignSummary) -> Bool {
        guard status.map({ $0 == campaign.status }) ?? true, kind.map({ $0 == campaign.kind }) ?? true else {
            return false
        }
        return text.isEmpty || campaign.name.lowercased().utf8.contains(text.lowercased().utf8)
    }
}

/// A page of a filtered list.
package struct FoundCampaigns: Sendable {
    /// The campaigns, newest first.
    package let campaigns: [CampaignSummary]
    /// The id below which the list continues; nil if all campaigns were examined.
    package let next: Int64?
    /// Whether the page ends because the limit of examined campaigns was reached, and not because it is full.
    package let isCutShort: Bool

    package init(campaigns: [CampaignSummary], next: Int64?, isCutShort: Bool) {
        self.campaigns = campaigns
        self.next = next
        self.isCutShort = isCutShort
    }
}

/// Searches the campaigns of an app (CON-5).
package struct CampaignSearch: Sendable {
    let database: any SQLDatabase

    package init(database: any SQLDatabase) {
        self.database = database
    }

    /// The most campaigns that one search examines; the next page continues after them (ADM-7).
    package static let searchedAtOnce = 2_000

    /// The campaigns that match a filter, newest first. At most ``searchedAtOnce`` campaigns are read, by an index.
    ///
    /// - Parameter cursor: the id below which the page starts.
    package func find(
        _ filter: CampaignFilter, app: AppRecord, before cursor: Int64?, limit: Int
    ) async throws -> FoundCampaigns {
        // If the index alone applies the filter, every row that is read belongs to the page.
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
