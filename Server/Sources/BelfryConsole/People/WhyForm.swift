import BelfryModel
import BelfryServices

/// The question "Why did this person (not) get …?": the campaign is chosen, or searched by its name.
struct WhyForm: Sendable {
    static let maximumCampaigns = 25

    struct Choice: Sendable {
        let whyCampaign: String
        let whyCampaignName: String
        let isWhyChosen: Bool
    }

    let whyFormAddress: String
    let whyCampaigns: [Choice]
    let hasWhyCampaigns: Bool
    let whyWanted: String

    init(
        _ address: String, campaigns: [CampaignQueries.Summary], chosen: CampaignID? = nil, wanted: String = ""
    ) {
        whyFormAddress = address
        whyCampaigns = campaigns.map { campaign in
            Choice(
                whyCampaign: "\(campaign.id)",
                whyCampaignName: "\(campaign.name.isolated) (\(StatusChip(campaign.status).word.lowercased()))",
                isWhyChosen: campaign.id == chosen
            )
        }
        hasWhyCampaigns = !campaigns.isEmpty
        whyWanted = wanted
    }

    init(_ place: PersonPlace, campaigns: [CampaignQueries.Summary]) {
        self.init(place.why, campaigns: campaigns)
    }
}
