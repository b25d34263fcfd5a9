import BelfryModel
import BelfryStore
import Foundation

/// What the ledger knows of a device's in-app messages. It is written before the device is told, in a transaction in
/// which what was found for the device still stands (LED-1).
struct InAppLedger {
    let connection: any SQLConnection
    let device: Int64

    /// Whether there is nothing to add about a message that cannot be made.
    func says(_ note: String, of campaign: CampaignID) throws -> Bool {
        guard let row = try connection.deliveries.find(campaign: campaign, device: device) else { return false }
        return switch row.state {
        case .pending: false
        case .suppressed: row.note == note
        case .accepted, .rejected, .cancelled: true
        }
    }

    /// Notes in the ledger, and beside the message's figures, what a device is about to get: before it gets it (LED-1).
    func download(
        _ messages: [(campaign: CampaignID, version: Int, epoch: Int)], contact: Int64, now: Date
    ) throws {
        guard !messages.isEmpty else { return }
        try connection.inAppDeviceStates.save(
            messages.map {
                InAppDownload(
                    campaign: $0.campaign, device: device, contact: contact, version: $0.version, epoch: $0.epoch,
                    at: now
                )
            }
        )
        try connection.inAppDeliveries.download(messages.map(\.campaign), device: device, contact: contact, now: now)
    }

    /// Notes why messages cannot be made for the device's contact.
    func suppress(_ errors: [CampaignID: String], contact: Int64, now: Date) throws {
        for (campaign, note) in errors.sorted(by: { $0.key < $1.key }) {
            try connection.inAppDeliveries.suppress(
                campaign, device: device, contact: contact, note: note, now: now
            )
        }
    }
}
