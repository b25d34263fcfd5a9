import BelfryModel
import BelfryStore
import Foundation

/// What became of an in-app campaign's message on a device (LED-2).
struct InAppFate: Hashable, Sendable {
    /// What the device has downloaded for the person whose it is now, or else for the last one before.
    let copy: InAppCopyRow?
    /// Whether the copy is of a person that the device had, and has no more.
    let isFormerOnes: Bool
    let hasContact: Bool
    /// Whether the audience holds the device now; nil when nobody asked, for it changes nothing.
    let isInAudience: Bool?
}

extension InAppFate {
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

extension SQLConnection {
    /// Nil for a campaign of another kind.
    func inAppFate(
        of row: CampaignRow, device: DeviceRow, delivery: DeliveryRow?, now: Date
    ) throws -> InAppFate? {
        guard row.campaign.draft.kind.isInApp else { return nil }
        let copies = try inAppCopies.find(campaign: row.id, device: device.id)
        let copy =
            copies.first { $0.contact == device.contact }
            ?? copies.max { ($0.downloadedAt ?? .distantPast) < ($1.downloadedAt ?? .distantPast) }
        // What is over, or was downloaded, depends on no audience.
        let isOpen = row.campaign.status == .active || row.campaign.status == .paused
        let isWaiting = isOpen && (delivery == nil || delivery?.state == .pending)
        return InAppFate(
            copy: copy, isFormerOnes: copy != nil && copy?.contact != device.contact, hasContact: device.contact != nil,
            isInAudience: isWaiting ? try inAppCampaign(row, holds: device.id, now: now) : nil
        )
    }
}
