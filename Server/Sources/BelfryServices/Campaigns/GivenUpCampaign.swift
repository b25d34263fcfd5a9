import BelfryModel
import BelfryStore
import Foundation
import Logging

/// A campaign that was cancelled because it cannot go on: left as it is, it would hold up all others. Its operators are
/// told.
struct GivenUpCampaign: Sendable {
    let id: Int64
    let reason: String
}

extension CampaignRow {
    /// Cancels one whose audience cannot be selected any more: an attribute has another type than at its launch.
    mutating func giveUp(because refusal: Refusal, now: Date) -> GivenUpCampaign {
        let reason = "Its audience cannot be selected any more: \(refusal.message)"
        campaign.status = .cancelled
        campaign.statusReason = reason
        campaign.endedAt = now
        isPlanned = true
        return GivenUpCampaign(id: id.number, reason: reason)
    }
}

extension SQLConnection {
    /// Cancels a campaign whose row cannot be read.
    ///
    /// - Returns: nil when it was cancelled already: all its batches under way meet it.
    func giveUpUnreadable(_ id: Int64, now: Date) throws -> GivenUpCampaign? {
        let reason = "Its row in the database cannot be read. Restore it from a backup, or make the campaign anew."
        let isOver = try CampaignID(id).map { try campaigns.status(of: $0) == .cancelled } ?? false
        try campaigns.setAside(id, because: reason, now: now)
        return isOver ? nil : GivenUpCampaign(id: id, reason: reason)
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
