import BelfryModel
import BelfryStore
import Foundation

/// The ledger rows of a device's in-app messages. They are written before the response, in a transaction that has
/// checked that the result of the query is still valid (LED-1).
struct InAppLedger {
    let connection: any SQLConnection
    let device: Int64

    /// Whether the ledger already has this note about a message that cannot be rendered.
    func says(_ note: String, of campaign: CampaignID) throws -> Bool {
        guard let row = try connection.deliveries.find(campaign: campaign, device: device) else { return false }
        return switch row.state {
        case .pending: false
        case .suppressed: row.note == note
        case .accepted, .rejected, .cancelled: true
        }
    }

    /// Writes to the ledger, and to the device's state of the message, what the device is about to download: before the
    /// response is sent (LED-1).
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

    /// Writes why messages cannot be rendered for the device's contact.
    func suppress(_ errors: [CampaignID: String], contact: Int64, now: Date) throws {
        for (campaign, note) in errors.sorted(by: { $0.key < $1.key }) {
            try connection.inAppDeliveries.suppress(
                campaign, device: device, contact: contact, note: note, now: now
            )
        }
    }
}
