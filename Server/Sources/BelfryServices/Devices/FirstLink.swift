import BelfryModel
import BelfryStore
import Foundation

/// The first link of an installation that shows only an id, to a contact that does not exist yet. Most devices come
/// this way (WIRE-2, ID-1).
///
/// All that must be looked up for such a call is known before, and nothing of it depends on another call. So waiting
/// calls are made together, with four round trips (FLEET-4), and whole rows are inserted. ``Linking`` handles every
/// other case; both give the same result.
struct FirstLink: Sendable {
    let caller: Caller
    private let key: String
    /// Whether the app has named the contact. Otherwise the server has drawn its key.
    let isNamed: Bool
    /// The secret part of the refresh token.
    private let secret: String
    private let now: Date

    /// Nil for a caller who names an installation, even one that no longer counts, and for a party identifier.
    ///
    /// - Parameter secret: the secret part of the refresh token, which is complete when the device has its number.
    init?(_ caller: Caller, to target: LinkDestination, secret: String, now: Date, keys: ServerKeys) {
        guard keys.devices(shownBy: caller).isEmpty else { return nil }
        switch target {
        case .named(let key, let party):
            guard party == nil else { return nil }
            self.key = key
            isNamed = true
        case .anonymous(_, let key):
            self.key = key
            isNamed = false
        }
        self.caller = caller
        self.secret = secret
        self.now = now
    }

    /// Makes several links.
    ///
    /// - Returns: the device of each. Nil where the call is not a first link after all, and nothing was done.
    static func make(
        _ links: [FirstLink], in connection: any SQLConnection
    ) throws -> [Result<DeviceRow?, any Error>] {
        let matches = try connection.devices.lookUp(links.map(\.lookup))
        var results: [Result<DeviceRow?, any Error>] = []
        var admitted: [(place: Int, link: FirstLink)] = []
        var contacts: Set<ContactOfApp> = []
        for (place, (link, match)) in zip(links, matches).enumerated() {
            do {
                if try link.isAdmitted(match, beside: &contacts) { admitted.append((place, link)) }
                results.append(.success(nil))
            } catch {
                results.append(.failure(error))
            }
        }
        // Transactions that create some of the same contacts create them in the same order, so that no two wait for
        // each other.
        admitted.sort { $0.link.key.utf8.lexicographicallyPrecedes($1.link.key.utf8) }
        let devices = try insert(admitted.map(\.link), in: connection)
        for (one, device) in zip(admitted, devices) { results[one.place] = .success(device) }
        return results
    }

    private var lookup: NewDeviceLookup {
        NewDeviceLookup(app: caller.app.id, client: caller.client, key: isNamed ? key : nil)
    }

    /// Whether neither the installation nor the contact exists. Then both are counted against the caller's limits
    /// (SEC-2, SEC-9).
    ///
    /// - Parameter contacts: those that are made together. Each is paid for once.
    private func isAdmitted(_ match: NewDeviceMatch, beside contacts: inout Set<ContactOfApp>) throws -> Bool {
        // A client of v3 that shows nothing of ours knows of no erasure, and begins anew (REG-36).
        if match.wasErased, caller.v3 == nil { throw Erasure.error }
        guard !match.hasUnlinked, match.contact == nil else { return false }
        try caller.admitInstallation()
        let contact = ContactOfApp(app: caller.app.id, key: Array(key.utf8))
        if !contacts.contains(contact) {
            try caller.linkBudget?.admitContact()
            contacts.insert(contact)
        }
        return true
    }

    private static func insert(_ links: [FirstLink], in connection: any SQLConnection) throws -> [DeviceRow] {
        guard !links.isEmpty else { return [] }
        let contacts = try connection.contacts.insert(links.map(\.contact))
        let devices = try connection.devices.insert(zip(links, contacts).map { link, id in link.device(of: id) })
        for ((link, contact), device) in zip(zip(links, contacts), devices) {
            try connection.contactLinks.noteFirst(device.id, to: contact, cause: .link, at: link.now)
            try connection.refreshTokens.insert(
                hash: RefreshToken.hash(of: device.id, secret: link.secret), device: device.id,
                generation: device.linkGeneration, now: link.now
            )
        }
        return devices
    }

    private var contact: NewContact {
        NewContact(app: caller.app.id, key: key, isKnown: isNamed, now: now)
    }

    /// An order from the future, of a caller who has proven nothing, would block the next order.
    private func device(of contact: Int64) -> NewDevice {
        let order = min(caller.order.milliseconds, now.milliseconds)
        return NewDevice(
            app: caller.app.id, client: caller.client,
            link: NewDevice.Link(contact: contact, isKnown: isNamed, order: order), now: now
        )
    }

    /// A contact's key, compared by its bytes: for Swift, two spellings of "é" are equal.
    private struct ContactOfApp: Hashable {
        let app: Int64
        let key: [UInt8]
    }
}
