import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Gives a re-installed app its anonymous contact back (REG-23). Its push token says which contact that may be. Since a
/// token is no secret, the app has to prove that it gets pushes at that token.
struct Takeover {
    /// Seconds for which an offer is valid: as long as a push service keeps the push with its nonce.
    static let lifetime: TimeInterval = 86_400

    let connection: any SQLConnection
    let settings: AppSettings
    let now: Date

    /// Offers a new installation the contact of the installation that held its push token until now, and has the nonce
    /// pushed. Known contacts are never offered, and a device with a history of its own gets no offer.
    ///
    /// It runs after the device's row is saved, with its token.
    ///
    /// - Parameter holders: the installations that held the token.
    func offer(to device: DeviceRow, from holders: [DeviceRow]) throws {
        guard isAllowed, !holders.isEmpty, device.pushToken?.provider != .webpush, let own = device.contact,
            try isNew(device, contact: own)
        else { return }
        let earlier = holders.filter { $0.id < device.id }.sorted { $0.id > $1.id }
        guard let holder = earlier.first, let former = holder.contact, former != own, try isAnonymous(former) else {
            return
        }
        try connection.takeoverOffers.put(
            TakeoverOffer(
                device: device.id, contact: own, formerContact: former, formerDevice: holder.id, offeredAt: now
            ),
            removingBefore: now.addingTimeInterval(-Self.lifetime)
        )
        try connection.silentPushes.request(
            .takeover, devices: [device.id], interval: SilentPushBudget.interval, now: now
        )
    }

    /// Lets the contact that a device is offered hear what registrations say to it, or of it: by one of them it may go into
    /// another contact.
    func settleWords(beforeOfferTo device: DeviceRow) throws {
        guard connection.contactWords != nil, let offer = try connection.takeoverOffers.find(device: device.id) else {
            return
        }
        _ = try ContactWordSteps.settle(naming: offer.formerContact, in: connection, now: now)
    }

    /// The offer that a nonce accepts. Nil when it is not the device's offer, is no longer valid, or the device has
    /// been linked since.
    func offer(to device: DeviceRow, acceptedBy nonce: String, keys: ServerKeys) throws -> TakeoverOffer? {
        guard isAllowed, let offer = try connection.takeoverOffers.find(device: device.id),
            constantTimeEqual(Array(offer.nonce(with: keys).utf8), Array(nonce.utf8)),
            offer.offeredAt > now.addingTimeInterval(-Self.lifetime),
            device.contact == offer.contact || device.contact == offer.formerContact,
            try isAnonymous(offer.formerContact)
        else { return nil }
        if device.contact == offer.contact, try !isAnonymous(offer.contact) { return nil }
        return offer
    }

    private var isAllowed: Bool { settings.identityMode == .open && settings.allowsAnonymousContacts }

    private func isAnonymous(_ contact: Int64) throws -> Bool {
        guard try connection.contacts.surviving(contact) == contact else { return false }
        return try connection.contacts.find(id: contact)?.known == false
    }

    /// Whether the device has only had the contact of its first link, and has no history but its start.
    private func isNew(_ device: DeviceRow, contact: Int64) throws -> Bool {
        guard try isAnonymous(contact), (device.applied?.formerContacts ?? []).isEmpty,
            try !connection.devices.hasOthers(of: contact, than: device.id)
        else { return false }
        let inbox = MessageHolder.installation(device.id).number
        return try !connection.events.hasMoreThanStarts(of: device.id) && !connection.contacts.hasMessages(inbox)
    }
}

extension TakeoverOffer {
    func nonce(with keys: ServerKeys) -> String {
        SignedValue.make([formerContact, offeredAt.milliseconds], for: "takeover:\(device)", key: keys.takeover)
    }
}
