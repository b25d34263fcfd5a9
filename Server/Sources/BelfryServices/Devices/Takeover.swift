import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// A re-installed app takes its anonymous contact back (REG-23). Its push token says which one that may be; since a token
/// is no secret, it has to show that it gets what is pushed there.
struct Takeover {
    /// Seconds for which an offer stands: as long as a push service keeps the push with its nonce.
    static let lifetime: TimeInterval = 86_400

    let connection: any SQLConnection
    let settings: AppSettings
    let now: Date

    /// Offers a new installation the contact of the one that held its push token until now, and has the nonce pushed.
    /// Nobody is offered a known contact, and nobody who has a history of their own is offered any.
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

    /// The offer that a nonce accepts: it is the device's, stands, and nobody has been linked since. Nil: there is none.
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

    /// Whether the device has no other contact than that of its first link, and no history but its start.
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
