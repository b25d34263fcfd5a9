import BelfryServices

/// The list of an app's campaigns, newest first.
struct CampaignListModel: Sendable {
    static let pageSize = 50

    struct Line: Sendable {
        let name: String
        let lineAddress: String
        let kind: String
        let status: StatusChip
        let duplicateAddress: String
    }

    let lines: [Line]
    /// Whether nothing was ever composed here.
    let isEmpty: Bool
    let isFirstPage: Bool
    let mayCompose: Bool
    let newAddress: String
    let firstAddress: String
    let olderAddress: String?
    let formToken: String

    /// - Parameters:
    ///   - found: one more than a page shows tells whether there is a next page.
    ///   - base: the address of the list.
    init(
        _ found: [CampaignService.Summary], isFirstPage: Bool, mayCompose: Bool, base: String, formToken: String
    ) {
        let shown = found.prefix(Self.pageSize)
        lines = shown.map { campaign in
            Line(
                name: campaign.name, lineAddress: "\(base)/\(campaign.id)", kind: campaign.kind.words,
                status: StatusChip(campaign.status), duplicateAddress: "\(base)/\(campaign.id)/duplicate"
            )
        }
        isEmpty = found.isEmpty && isFirstPage
        self.isFirstPage = isFirstPage
        self.mayCompose = mayCompose
        newAddress = "\(base)/new"
        firstAddress = base
        olderAddress = found.count > shown.count ? shown.last.map { "\(base)?before=\($0.id)" } : nil
        self.formToken = formToken
    }
}
