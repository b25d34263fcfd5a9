import BelfryModel
import BelfryStore
import Foundation

/// The first link of an installation that shows no more than an id, to a contact that nobody has: how most devices come
/// (WIRE-2, ID-1).
///
/// What there is to be found out of such a call is known before it is asked, and nothing of it depends on another's. So
/// those that wait together are made together, with four ways to the database (FLEET-4), and the rows are written whole.
/// Whatever else may be there of an installation is for ``Linking``; both come to the same.
struct FirstLink: Sendable {
    let caller: Caller
    private let key: String
    /// Whether the app has named the contact; else the server has drawn its key.
    let isNamed: Bool
    /// Of the refresh token.
    private let secret: String
    private let now: Date

    /// Nil for a caller who shows an installation, whatever that is worth by now, and for a name that describes its contact.
    ///
    /// - Parameter secret: of the refresh token, which is whole when the device has its number.
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
    /// - Returns: of each the device; nil where it is no first link after all, and nothing was done.
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
        // Whoever makes some of the same contacts at the same time makes them in the same order, so nobody waits for
        // somebody who waits for them.
        admitted.sort { $0.link.key.utf8.lexicographicallyPrecedes($1.link.key.utf8) }
        let devices = try insert(admitted.map(\.link), in: connection)
        for (one, device) in zip(admitted, devices) { results[one.place] = .success(device) }
        return results
    }

    private var lookup: NewDeviceLookup {
        NewDeviceLookup(app: caller.app.id, client: caller.client, key: isNamed ? key : nil)
    }

    /// Whether nothing of the installation and its contact is there; then somebody pays for both (SEC-2, SEC-9).
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

    /// An order from the future, of a caller who has shown nothing, would keep the next one out.
    private func device(of contact: Int64) -> NewDevice {
        let order = min(caller.order.milliseconds, now.milliseconds)
        return NewDevice(
            app: caller.app.id, client: caller.client,
            link: NewDevice.Link(contact: contact, isKnown: isNamed, order: order), now: now
        )
    }

    /// A key to the last byte: for Swift, two spellings of "é" are equal.
    private struct ContactOfApp: Hashable {
        let app: Int64
        let key: [UInt8]
    }
}
