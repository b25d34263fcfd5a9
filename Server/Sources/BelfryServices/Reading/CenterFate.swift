import BelfryModel
import BelfryStore
import Foundation

/// What became of a campaign's message in the centre of a device's contact (LED-2).
struct CenterFate: Hashable, Sendable {
    let center: String
    /// Of the message that the contact has, on whatever device; nil when there is none, or none any more.
    let state: MessageState?
    let expiresAt: Date?
    /// What this device has told of it.
    let engagement: CenterEngagementRow?
}

extension CenterFate {
    /// That it lies there, and how far it came, as a clause.
    func clause(now: Date) -> String? {
        guard let state else { return nil }
        let place = "in the message center '\(center)'"
        if state == .deleted { return "it was placed \(place), and the user has deleted it" }
        if let expiresAt, expiresAt <= now { return "it was placed \(place), and has expired since" }
        let read = state == .read ? "and has been read" : "and has not been read yet"
        return (engagement?.opens ?? 0) > 0
            ? "it lies \(place), and was opened on this device" : "it lies \(place), \(read)"
    }

    var steps: [Explanation.Step] {
        [
            ("messageDisplayed", engagement?.displayedAt, engagement?.displays),
            ("messageOpened", engagement?.openedAt, engagement?.opens),
        ].compactMap { what, at, times in
            at.map { .init(at: $0, what: what, detail: "times: \(times ?? 1)") }
        }
    }
}

extension SQLConnection {
    /// Nil for a campaign that keeps no message.
    func centerFate(of campaign: Campaign, device: DeviceRow) throws -> CenterFate? {
        guard campaign.draft.kind.keepsMessage else { return nil }
        let message = try device.contact.flatMap { try centerMessages.find(contact: $0, campaign: campaign.id) }
        return CenterFate(
            center: campaign.draft.messageCenter?.center ?? MessageCenterName.primary.rawValue,
            state: message?.state, expiresAt: message?.expiresAt,
            engagement: try centerEngagement.find(campaign: campaign.id, device: device.id)
        )
    }
}
