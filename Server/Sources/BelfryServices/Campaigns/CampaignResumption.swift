import BelfryModel
import BelfryStore
import Foundation

/// A campaign that is paused goes on: when an operator resumes it, or takes its plan out of quarantine. It runs in the
/// transaction that saves the row afterwards.
struct CampaignResumption {
    let connection: any SQLConnection
    let now: Date

    func resume(_ row: inout CampaignRow) throws {
        row.campaign.statusReason = nil
        row.placesWhilePaused = false
        guard row.campaign.launchedAt != nil else {
            // It was paused before its time, which may have passed: then it begins at once.
            row.campaign.status = .scheduled
            row.scheduledAt = row.scheduledAt ?? now
            return
        }
        guard !row.campaign.draft.kind.isInApp else {
            return try InAppPublication(connection: connection, now: now).resume(with: &row)
        }
        try resumeSending(of: &row)
    }

    /// Sends on after a pause: what waited for a retry is due at once, what waits for its recipient's time is not.
    private func resumeSending(of row: inout CampaignRow) throws {
        row.campaign.status = .sending
        row.campaign.statusReason = try AttemptLog(connection: connection, now: now).quarantineNote(of: row.id)
        row.watch = nil
        row.retriesFrom = now
        try connection.batches.hasten(row.id, now: now)
        // What was under way at the pause may have been the last of it: then no batch is left to end with.
        guard row.isPlanned, try !connection.batches.remain(of: row.id) else { return }
        row.campaign.status = .completed
        row.campaign.endedAt = now
    }
}
