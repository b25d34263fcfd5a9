import BelfryModel
import BelfryStore
import Foundation
import Logging

/// Ends a campaign without an operator: in the transaction that does the last of its work, or that finds that it cannot
/// continue.
struct CampaignEnd {
    let connection: any SQLConnection
    let now: Date

    /// Completes a campaign if its whole audience is in the ledger and no batch is left.
    func completeIfDone(_ id: CampaignID) throws {
        guard try !connection.batches.remain(of: id), var row = try connection.campaigns.find(id),
            row.campaign.status == .sending, row.isPlanned
        else { return }
        row.campaign.status = .completed
        row.campaign.endedAt = now
        try connection.campaigns.save(row)
    }

    /// Cancels a campaign whose row cannot be read.
    ///
    /// - Returns: nil if it was cancelled already: every batch in progress finds the damage.
    func failCorrupt(_ id: Int64) throws -> FailedCampaign? {
        let reason = "Its database row is corrupt. Restore it from a backup, or create the campaign again."
        let isOver = try CampaignID(id).map { try connection.campaigns.status(of: $0) == .cancelled } ?? false
        try connection.campaigns.failCorrupt(id, because: reason, now: now)
        return isOver ? nil : FailedCampaign(id: id, reason: reason)
    }
}

/// A campaign that was cancelled because it cannot continue; otherwise it would hold up all others. The log reports it
/// to operators.
struct FailedCampaign: Sendable {
    let id: Int64
    let reason: String
}

extension CampaignRow {
    /// Cancels a campaign whose audience can no longer be compiled, because an attribute has another type than at its
    /// launch.
    mutating func fail(because error: ValueError, now: Date) -> FailedCampaign {
        let reason = "Its audience can no longer be selected: \(error.message)"
        campaign.status = .cancelled
        campaign.statusReason = reason
        campaign.endedAt = now
        isPlanned = true
        return FailedCampaign(id: id.number, reason: reason)
    }
}

extension Logger {
    func report(_ campaign: FailedCampaign?) {
        guard let campaign else { return }
        warning(
            "campaign cancelled: it cannot continue",
            metadata: ["campaign": "\(campaign.id)", "reason": "\(campaign.reason)"]
        )
    }
}
