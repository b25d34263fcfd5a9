import BelfryModel
import BelfryStore
import Foundation

/// Whom a link asks for.
enum LinkDestination: Hashable, Sendable {
    /// - Parameter party: describes the contact if it is made.
    case named(key: String, party: PartyIdentifier?)
    /// - Parameters:
    ///   - isFresh: another person uses the device, and what its own anonymous contact holds is not theirs (ID-4).
    ///   - key: of the contact if it is made.
    case anonymous(isFresh: Bool, key: String)

    init(_ name: ContactName) throws(ValueError) {
        self = .named(key: try name.key(), party: name.party)
    }

    /// Nobody is to be linked any more.
    var isLogout: Bool {
        if case .anonymous = self { true } else { false }
    }

    var isFresh: Bool {
        if case .anonymous(isFresh: true, _) = self { true } else { false }
    }
}

/// One link: in its transaction, which saves the device's row afterwards.
struct Linking {
    let connection: any SQLConnection
    let caller: Caller
    let target: LinkDestination
    /// What the caller has shown of itself to the device.
    let level: CallerAuthLevel
    let now: Date

    /// Whether the device has the contact that is asked for.
    func isMade(on device: DeviceRow) throws -> Bool {
        guard let contact = try device.contact.flatMap(connection.contacts.find(id:)) else { return false }
        switch target {
        case .named(let key, _):
            if contact.key.utf8.elementsEqual(key.utf8) { return true }
            // By a former key of the contact as well (ADM-5).
            return try connection.contacts.number(app: device.app, key: key) == contact.id
        case .anonymous: return !contact.known
        }
    }

    /// Gives the device the contact that is asked for. It begins an epoch of orders (ID-10).
    ///
    /// - Parameter generation: that the caller shows.
    /// - Returns: the contact of a link that nobody has used: nobody else has it.
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

    /// Nobody comes to a contact that is being erased: whoever asks again afterwards gets another one (REG-36).
    private func admit(to contact: Int64) throws {
        guard try ContactErasure.keepsAway(from: contact, at: now, in: connection) else { return }
        throw ServiceError.tooManyCalls(
            limit: "erasure", message: "This contact is being erased. Link it again in \(Self.retryAfter) s.",
            retryAfter: Self.retryAfter
        )
    }

    /// Seconds: an erasure hardly takes longer.
    private static let retryAfter = 5

    /// The contact with a key, made when it is unknown and somebody may make one more (SEC-9).
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
