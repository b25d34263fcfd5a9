import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// How an in-app campaign goes into the ledger and out of it. Whoever calls these saves the row, and then advances the
/// app's clock, in one transaction.
extension SQLConnection {
    /// From now on devices download the campaign's message, until it ends (CAMP-2, IAM-1).
    func publish(_ row: inout CampaignRow, now: Date) throws {
        row.campaign.status = .active
        row.campaign.launchedAt = now
        row.scheduledAt = nil
        try planInApp(&row)
    }

    /// Lets the audience be walked, once more if need be: who is not in the ledger gets a row, and devices that can be
    /// woken are told (IAM-2).
    func planInApp(_ row: inout CampaignRow) throws {
        row.plannedTo = 0
        row.planEnd = try devices.highestID()
        row.isPlanned = false
    }

    /// Lets what the ledger of a campaign that is over has pending be ended, as its state says; after a recall, devices
    /// that have its message are told.
    func closeInApp(_ row: inout CampaignRow) {
        // One that has never begun has nobody in its ledger.
        guard row.campaign.launchedAt != nil else { return row.isPlanned = true }
        row.closedTo = 0
    }

    /// Owes these devices a silent push, those that can be woken, within their budget (PUSH-7).
    func requestSilentPushes(_ reasons: SilentPushReasons, to devices: [Int64], now: Date) throws {
        try silentPushes.request(reasons, devices: devices, interval: SilentPushBudget.interval, now: now)
    }
}
