import BelfryModel
import BelfryServices

/// The question "Why did this person (not) get …?". The campaign is chosen from a list or searched by name.
struct WhyForm: Sendable {
    static let maximumCampaigns = 25
    /// The number of newest campaigns that are searched. Some of them are drafts, which are left out.
    private static let searchedCampaigns = 500

    struct Choice: Sendable {
        let whyCampaign: String
        let whyCampaignName: String
        let isWhyChosen: Bool
    }

    let whyFormAddress: String
    let whyCampaigns: [Choice]
    let hasWhyCampaigns: Bool
    let whyLack: String
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
        whyLack =
            wanted.showsNothing
            ? "No campaign was launched yet, so there is nothing to ask about."
            : "No campaign of this name was launched. Search for another one."
        whyWanted = wanted
    }

    init(_ place: PersonPlace, campaigns: [CampaignQueries.Summary]) {
        self.init(place.why, campaigns: campaigns)
    }

    /// The newest campaigns that were launched. Drafts are left out: nothing was sent of them.
    ///
    /// - Parameter text: a part of the campaign's name.
    static func campaigns(
        _ call: ConsoleCall, named text: String = ""
    ) async throws -> [CampaignQueries.Summary] {
        let found = try await call.services.campaignSearch.find(
            CampaignFilter(text: text), app: try call.inApp(), before: nil, limit: searchedCampaigns
        ).campaigns
        return Array(found.filter { $0.status != .draft }.prefix(maximumCampaigns))
    }
}
