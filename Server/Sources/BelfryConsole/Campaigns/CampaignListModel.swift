import BelfryModel
import BelfryServerModel
import BelfryServices

/// The list of an app's campaigns, newest first: all of them, or those that a search finds.
struct CampaignListModel: Sendable {
    static let pageSize = 50

    struct Line: Sendable {
        let name: String
        let lineAddress: String
        let kind: String
        let status: StatusChip
        let reviewChip: StatusChip?
        let duplicateAddress: String
    }

    struct Choice: Sendable {
        let choiceValue: String
        let choiceWords: String
        let isChosen: Bool
    }

    let lines: [Line]
    /// Whether the app has no campaigns at all.
    let isEmpty: Bool
    /// The sentence for a search without a result.
    let foundNothing: String?
    let isFirstPage: Bool
    let mayCompose: Bool
    let newAddress: String
    let firstAddress: String
    let allAddress: String
    let olderAddress: String?
    let olderTitle: String
    let searchText: String
    let isSearched: Bool
    let statuses: [Choice]
    let kinds: [Choice]
    let formToken: String
    /// The idempotency key of the page's forms.
    let formKey: String

    /// - Parameters:
    ///   - reviews: how far the approval of each campaign has come.
    ///   - asksForApproval: whether the app requires an approval before a launch.
    ///   - base: the address of the list.
    init(
        _ found: FoundCampaigns, filter: CampaignFilter, reviews: [CampaignID: ReviewRule.Status],
        asksForApproval: Bool, isFirstPage: Bool, mayCompose: Bool, base: String, formToken: String,
        formKey: String
    ) {
        lines = found.campaigns.map { campaign in
            Line(
                name: campaign.name, lineAddress: "\(base)/\(campaign.id)", kind: campaign.kind.words,
                status: StatusChip(campaign.status),
                reviewChip: Self.chip(
                    reviews[campaign.id] ?? .open, isRequired: asksForApproval && campaign.status == .draft
                ),
                duplicateAddress: "\(base)/\(campaign.id)/duplicate"
            )
        }
        isEmpty = found.campaigns.isEmpty && isFirstPage && filter.isEmpty && found.next == nil
        foundNothing = found.campaigns.isEmpty && !isEmpty ? Self.nothing(found) : nil
        self.isFirstPage = isFirstPage
        self.mayCompose = mayCompose
        newAddress = "\(base)/new"
        allAddress = base
        let query = Self.query(filter)
        firstAddress = query.isEmpty ? base : "\(base)?\(query)"
        olderAddress = found.next.map { "\(base)?\(query.isEmpty ? "" : query + "&")before=\($0)" }
        olderTitle = found.isCutShort && !filter.isEmpty ? "Search older ones" : "Older"
        searchText = filter.text
        isSearched = !filter.isEmpty
        statuses =
            [Choice(choiceValue: "", choiceWords: "Any status", isChosen: filter.status == nil)]
            + CampaignStatus.allCases.map { status in
                Choice(
                    choiceValue: status.rawValue, choiceWords: StatusChip(status).word,
                    isChosen: status == filter.status
                )
            }
        kinds =
            [Choice(choiceValue: "", choiceWords: "Any kind", isChosen: filter.kind == nil)]
            + CampaignKind.allCases.map { kind in
                Choice(choiceValue: kind.rawValue, choiceWords: kind.words, isChosen: kind == filter.kind)
            }
        self.formToken = formToken
        self.formKey = formKey
    }

    /// The chip for the approval status of a draft; nil where there is nothing to show.
    private static func chip(_ status: ReviewRule.Status, isRequired: Bool) -> StatusChip? {
        isRequired ? status.chip : nil
    }

    private static func nothing(_ found: FoundCampaigns) -> String {
        found.next == nil
            ? "No campaign is like this. Search for another part of the name, or for any status and kind."
            : "None of the newest \(Figures.count(CampaignSearch.searchedAtOnce)) matches. Search the older ones."
    }

    /// The query of the list's address for a filter.
    private static func query(_ filter: CampaignFilter) -> String {
        var parts: [String] = []
        if !filter.text.isEmpty { parts.append("q=\(WireURL.encoded(filter.text))") }
        if let status = filter.status { parts.append("status=\(status.rawValue)") }
        if let kind = filter.kind { parts.append("kind=\(kind.rawValue)") }
        return parts.joined(separator: "&")
    }
}
