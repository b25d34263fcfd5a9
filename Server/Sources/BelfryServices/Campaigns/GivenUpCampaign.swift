import BelfryModel
import BelfryStore
import Foundation
import Logging

/// A campaign that planning has ended because it cannot go on: left as it is, it would hold up all others. Its operators
/// are told.
struct GivenUpCampaign: Sendable {
    let id: Int64
    let reason: String

    /// One whose row cannot be read. Nil when that has been seen before: all its batches under way meet it.
    init?(settingAside id: Int64, in connection: any SQLConnection, now: Date) throws {
        self.id = id
        reason = "Its row in the database cannot be read. Restore it from a backup, or make the campaign anew."
        let isOver = try CampaignID(id).map { try connection.campaigns.status(of: $0) == .cancelled } ?? false
        try connection.campaigns.setAside(id, because: reason, now: now)
        if isOver { return nil }
    }

    /// One whose audience cannot be selected any more: an attribute has another type than at its launch.
    init(_ row: inout CampaignRow, because refusal: Refusal, now: Date) {
        id = row.id.number
        reason = "Its audience cannot be selected any more: \(refusal.message)"
        row.campaign.status = .cancelled
        row.campaign.statusReason = reason
        row.campaign.endedAt = now
        row.isPlanned = true
    }
}

extension Logger {
    func tell(of campaign: GivenUpCampaign?) {
        guard let campaign else { return }
        warning(
            "a campaign is cancelled: it cannot go on",
            metadata: ["campaign": "\(campaign.id)", "reason": "\(campaign.reason)"]
        )
    }
}
