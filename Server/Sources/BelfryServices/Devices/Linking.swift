import BelfryModel
import BelfryStore
import Foundation

/// The contact that a link asks for.
enum LinkDestination: Hashable, Sendable {
    /// A named contact.
    ///
    /// - Parameter party: describes the contact if the link creates it.
    case named(key: String, party: PartyIdentifier?)
    /// An anonymous contact.
    ///
    /// - Parameters:
    ///   - isFresh: another person uses the device, and the data of its own anonymous contact is not theirs (ID-4).
    ///   - key: the contact's key if the link creates it.
    case anonymous(isFresh: Bool, key: String)

    init(_ name: ContactName) throws(ValueError) {
        self = .named(key: try name.key(), party: name.party)
    }

    /// The contact of an app to which it leads. Nil for one that is still to be made, and for the device's own.
    func contact(of app: Int64, in connection: any SQLConnection) throws -> Int64? {
        guard case .named(let key, _) = self else { return nil }
        return try connection.contacts.number(app: app, key: key)
    }

    /// Whether the link is a logout.
    var isLogout: Bool {
        if case .anonymous = self { true } else { false }
    }

    var isFresh: Bool {
        if case .anonymous(isFresh: true, _) = self { true } else { false }
    }
}

/// Makes one link, in a transaction that saves the device's row afterwards.
struct Linking {
    let connection: any SQLConnection
    let caller: Caller
    let target: LinkDestination
    /// How much the caller has proven to the device.
    let level: CallerAuthLevel
    let now: Date

    /// Whether the device already has the requested contact.
    func isMade(on device: DeviceRow) throws -> Bool {
        guard let contact = try device.contact.flatMap(connection.contacts.find(id:)) else { return false }
        switch target {
        case .named(let key, _):
            if contact.key.utf8.elementsEqual(key.utf8) { return true }
            // A former key of the contact counts, too (ADM-5).
            return try connection.contacts.number(app: device.app, key: key) == contact.id
        case .anonymous: return !contact.known
        }
    }

    /// Gives the device the requested contact, and begins an epoch of orders (ID-10).
    ///
    /// - Parameter generation: the link generation that the caller shows.
    /// - Returns: the contact of a former link that nobody has used. No other device has it.
    func link(_ device: inout DeviceRow, showing generation: Int64) throws -> Int64? {
        let former = level == .unlinked ? device.contact : nil
        let isLogout = target.isLogout && device.contact != nil
        try ContactChange(connection: connection, now: now, cause: isLogout ? .logout : .link)
            .apply(to: &device, contact: contact(of: device), by: level)
        let order = caller.order.milliseconds
        let isProven = [.linked, .installation].contains(level)
        device.contactOrder = PropertyOrder(
            generation: generation, milliseconds: isProven ? order : min(order, now.milliseconds)
        )
        device.orderEpoch = device.linkGeneration + 1
        return former
    }

    private func contact(of device: DeviceRow) throws -> Int64 {
        switch target {
        case .named(let key, let party):
            if let contact = device.contact, try isMade(on: device) { return contact }
            return try known(key, party, of: device)
        case .anonymous(let isFresh, let key):
            if let contact = device.contact, !isFresh, level == .linked, try isMade(on: device) { return contact }
            try caller.linkBudget?.admitContact()
            return try connection.contacts.findOrInsert(app: device.app, key: key, known: false, now: now)
        }
    }

    /// Throws for a contact that is being erased. A later attempt gets another contact (REG-36).
    private func admit(to contact: Int64) throws {
        guard try ContactErasure.keepsAway(from: contact, at: now, in: connection) else { return }
        throw ServiceError.tooManyCalls(
            limit: "erasure", message: "This contact is being erased. Link it again in \(Self.retryAfter) s.",
            retryAfter: Self.retryAfter
        )
    }

    /// Seconds after which to try again: an erasure hardly takes longer.
    private static let retryAfter = 5

    /// The contact with a key. It is created when it is unknown and the caller's limit allows it (SEC-9).
    private func known(_ key: String, _ party: PartyIdentifier?, of device: DeviceRow) throws -> Int64 {
        if let id = try connection.contacts.number(app: device.app, key: key) {
            try admit(to: id)
            return id
        }
        try caller.linkBudget?.admitContact()
        let id = try connection.contacts.findOrInsert(app: device.app, key: key, known: true, now: now)
        if let party, var contact = try connection.contacts.find(id: id) {
            contact.party = party
            try connection.contacts.save(contact, now: now)
        }
        return id
    }
}
