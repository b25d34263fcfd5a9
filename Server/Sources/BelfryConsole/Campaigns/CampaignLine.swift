import BelfryServices

/// A campaign in a list.
struct CampaignLine: Sendable {
    let name: String
    let address: String
    let kind: String
    let status: StatusChip
}

extension CampaignLine {
    init(_ campaign: CampaignQueries.Summary, base: String) {
        name = campaign.name
        address = "\(base)/\(campaign.id)"
        kind = campaign.kind.words
        status = StatusChip(campaign.status)
    }
}
