import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

extension CenterEngagement {
    /// What an event of the SDK says about a message of a centre.
    init?(_ event: IncomingEvent) {
        guard event.kind == .internal else { return nil }
        switch event.name {
        case .messageCenterDisplay: self = .display
        case .messageCenterOpen: self = .open
        default: return nil
        }
    }
}

extension SQLConnection {
    /// Counts what a device tells of a message (ENG-4). The id names its campaign and its contact; whoever can compute
    /// one has no message yet, so it counts for a message that the contact has, or a device that stands in the ledger.
    ///
    /// - Parameter owners: the contact under which the event was tracked, and the one that it has gone into, if it has
    ///   (ID-8): a device that told its key by a snapshot goes on with the former's reference.
    func joinCenter(_ event: IncomingEvent, of owners: [EventOwner], at: Date, _ link: DeviceLink) throws {
        guard let engagement = CenterEngagement(event), let message = event.messageID.flatMap(MessageID.init),
            let campaign = message.campaign,
            let contact = owners.lazy.compactMap({ $0.contactID(of: link) }).first(where: {
                message == .make(campaign: campaign, contact: $0)
            }),
            try campaigns.keepsMessage(campaign, app: link.app),
            try centerMessages.find(contact: contact, campaign: campaign) != nil
                // Those of an anonymous contact that has become a known one are gone (ID-8).
                || deliveries.find(campaign: campaign, device: link.id) != nil
        else { return }
        try centerEngagement.count(engagement, campaign: campaign, device: link.id, at: at)
    }
}
