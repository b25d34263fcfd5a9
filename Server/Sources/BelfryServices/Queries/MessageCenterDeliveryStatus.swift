import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// The state of a campaign's message in the message center of a device's contact (LED-2).
struct MessageCenterDeliveryStatus: Hashable, Sendable {
    /// Whether a message center shows its messages.
    enum Showing: Hashable, Sendable {
        case shown, disabled, deleted
    }

    let center: String
    let showing: Showing
    /// The state of the contact's message, from any of the contact's devices; nil if there is no message, or no longer
    /// one.
    let state: MessageState?
    let expiresAt: Date?
    /// The holder of the message, if it is one whose messages this device does not show now.
    let hiddenHolder: MessageHolder?
    /// Whether an operator recalled the message.
    let isRecalled: Bool
    /// The engagement that this device reported for the message.
    let engagement: MessageCenterEngagementRow?
}

extension MessageCenterDeliveryStatus {
    /// A clause that says where the message is and how far it came.
    func clause(now: Date) -> String? {
        guard let state else { return nil }
        let place = "in the message center '\(center)'"
        if isRecalled { return "it was placed \(place), and was recalled" }
        if state == .deleted { return "it was placed \(place), and the user has deleted it" }
        if let expiresAt, expiresAt <= now { return "it was placed \(place), and has expired since" }
        let isOpened = (engagement?.opens ?? 0) > 0
        let read = state == .read ? "has been read" : "has not been read yet"
        return "it is \(place)\(hiding), and \(isOpened ? "was opened on this device" : read)"
    }

    /// Why this device does not show the message.
    private var hiding: String {
        let owner =
            switch hiddenHolder {
            case nil: ""
            case .contact?: ", for the contact that the device had then"
            case .installation?: ", for anyone who uses the device without being logged in"
            }
        return switch showing {
        case .shown: owner
        case .disabled: owner + ", which is disabled"
        case .deleted: owner + ", which has been deleted"
        }
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

extension MessageCenterDeliveryStatus {
    /// Reads the state in one database snapshot; nil for a campaign that keeps no message.
    ///
    /// - Parameter delivery: the device's row in the campaign's ledger. It identifies the message, even if the device
    ///   has another contact now.
    init?(
        of campaign: Campaign, device: DeviceRow, delivery: DeliveryRow?, in connection: any SQLConnection
    ) throws {
        guard campaign.draft.kind.keepsMessage else { return nil }
        let isKnown = try device.contact.map(connection.contacts.isKnown) ?? false
        let present = isKnown ? device.contact.map(MessageHolder.contact) : .installation(device.id)
        // Messages that were placed before the holder was recorded belong to the contact of the ledger's row.
        let candidates = [delivery?.holder, delivery?.contact.map(MessageHolder.contact), present].compactMap(\.self)
        let placed = try connection.placedMessages.first(of: campaign.id, among: candidates)
        let name = campaign.draft.messageCenter?.center.map(MessageCenterName.init(stored:)) ?? .primary
        let center = try connection.messageCenters.find(app: device.app, name)
        self.init(
            center: name.rawValue, showing: center.map { $0.isEnabled ? .shown : .disabled } ?? .deleted,
            state: placed?.state, expiresAt: placed?.expiresAt,
            hiddenHolder: placed?.holder == present ? nil : placed?.holder, isRecalled: placed?.recalledAt != nil,
            engagement: try connection.centerEngagement.find(campaign: campaign.id, device: device.id)
        )
    }
}
