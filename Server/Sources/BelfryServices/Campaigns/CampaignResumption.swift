import BelfryModel
import BelfryStore
import Foundation

/// Resumes a paused campaign, for an operator or when its plan leaves quarantine. It runs in the transaction that saves
/// the row afterwards.
struct CampaignResumption {
    let connection: any SQLConnection
    let now: Date

    func resume(_ row: inout CampaignRow) throws {
        row.campaign.statusReason = nil
        row.placesWhilePaused = false
        guard row.campaign.launchedAt != nil else {
            // The campaign was paused before its start. If its time has passed in the meantime, it starts now.
            row.campaign.status = .scheduled
            row.scheduledAt = row.scheduledAt ?? now
            return
        }
        guard !row.campaign.draft.kind.isInApp else {
            return try InAppPublication(connection: connection, now: now).resume(with: &row)
        }
        try resumeSending(of: &row)
    }

    /// Continues sending after a pause: retries are due now, but sends that wait for their recipient's own time are
    /// not.
    private func resumeSending(of row: inout CampaignRow) throws {
        row.campaign.status = .sending
        row.campaign.statusReason = try AttemptLog(connection: connection, now: now).quarantineNote(of: row.id)
        row.watch = nil
        row.retriesFrom = now
        try connection.batches.hasten(row.id, now: now)
        // The sends that were in progress at the pause may have been the last. Then no batch is left whose end would
        // complete the campaign.
        guard row.isPlanned, try !connection.batches.remain(of: row.id) else { return }
        row.campaign.status = .completed
        row.campaign.endedAt = now
    }
}
