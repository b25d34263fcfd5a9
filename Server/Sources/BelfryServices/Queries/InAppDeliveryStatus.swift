import BelfryModel
import BelfryStore
import Foundation

/// The state of an in-app campaign's message on a device (LED-2).
struct InAppDeliveryStatus: Hashable, Sendable {
    /// The message as the device downloaded it for its present contact, or otherwise for the last contact before.
    let copy: InAppDeviceStateRow?
    /// Whether the copy belongs to a former contact of the device.
    let isFormerOnes: Bool
    let hasContact: Bool
    /// Whether the device is in the audience now. Nil if the audience was not evaluated because the result would change
    /// nothing, or if the result is unknown.
    let isInAudience: Bool?
    /// Whether the audience still has to be evaluated (``AudienceResults``).
    let isOpen: Bool
}

extension InAppDeliveryStatus {
    var steps: [Explanation.Step] {
        guard let copy else { return [] }
        return [
            copy.downloadedAt.map { .init(at: $0, what: "downloaded", detail: "version \(copy.version)") },
            copy.notShownAt.map {
                .init(at: $0, what: "notShown", detail: copy.notShownSentence ?? copy.notShownReason)
            },
            copy.recalledAt.map { .init(at: $0, what: "withdrawn", detail: nil) },
        ].compactMap(\.self)
    }
}

extension InAppDeliveryStatus {
    /// Reads the state in one database snapshot; nil for a campaign of another kind.
    ///
    /// - Parameter audience: evaluates the audiences of the campaign's app.
    init?(
        of row: CampaignRow, device: DeviceRow, delivery: DeliveryRow?, _ results: AudienceResults,
        _ audience: inout InAppAudience, in connection: any SQLConnection
    ) throws {
        guard row.campaign.draft.kind.isInApp else { return nil }
        let copies = try connection.inAppDeviceStates.find(campaign: row.id, device: device.id)
        let copy =
            copies.first { $0.contact == device.contact }
            ?? copies.max { ($0.downloadedAt ?? .distantPast) < ($1.downloadedAt ?? .distantPast) }
        // For an ended campaign or a downloaded message the audience does not matter.
        let isOpen = row.campaign.status == .active || row.campaign.status == .paused
        let isWaiting = isOpen && (delivery == nil || delivery?.state == .pending)
        let clock = try connection.inAppRevisions.find(app: row.app).version
        let outcome =
            isWaiting
            ? try audience.outcome(on: row, device: device.id) {
                results.outcome(on: $0, contact: device.contact, clock: clock)
            } : nil
        self.init(
            copy: copy, isFormerOnes: copy != nil && copy?.contact != device.contact, hasContact: device.contact != nil,
            isInAudience: outcome.flatMap { $0 == .holds ? true : $0 == .excludes ? false : nil },
            isOpen: outcome == .open
        )
    }
}
