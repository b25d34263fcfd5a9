import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

extension InAppDraft {
    /// A modal at the start of a session.
    static func test(_ title: String = "Sale", endsAt: Date? = nil) -> InAppDraft {
        InAppDraft(
            type: .modal, trigger: InAppTrigger(event: "session:start"), endsAt: endsAt,
            content: InAppContent(title: title)
        )
    }
}

extension SQLConnection {
    /// An in-app campaign in this state.
    func makeInAppCampaign(
        _ status: CampaignStatus = .active, app: Int64 = 1, audience: Condition = .everyone,
        message: InAppDraft = .test()
    ) throws -> CampaignID {
        let draft = CampaignDraft(name: "Sale", kind: .inApp, audience: audience, inApp: message)
        let id = try campaigns.insert(draft, app: app, now: storeEpoch)
        try change(id) { $0.campaign.status = status }
        return id
    }

    func change(_ id: CampaignID, _ change: (inout CampaignRow) -> Void) throws {
        guard var row = try campaigns.find(id) else {
            throw StoreError.corrupted(table: "campaigns", key: id.description)
        }
        change(&row)
        try campaigns.save(row)
    }
}
