import Foundation

/// What calls of devices and those who write to them need, beside the whole row (``DeviceRow``).
extension DeviceRepository {
    /// Among the devices that live, unless another table is named.
    package func link(id: Int64, in table: DeviceTable = .living) throws -> DeviceLink? {
        try connection.first("SELECT \(DeviceLink.columns) FROM \(table.name) WHERE id = ?", [.integer(id)]) {
            DeviceLink(id: id, $0)
        }
    }

    /// The contact of each of these devices that is still there, nil where it has none; and whose messages it shows. The
    /// devices are read first, and then which of their contacts are known: the two are on different servers (FLEET-5).
    package func contacts(of devices: [Int64]) throws -> [Int64: DeviceContact] {
        let links = try connection.query(
            "SELECT id, contact_id FROM devices WHERE id IN (\(connection.dialect.integers))", [.integers(devices)]
        ) { (device: $0.integer(0), contact: $0.optionalInteger(1)) }
        let known = try connection.contacts.known(among: Set(links.compactMap(\.contact)))
        return links.reduce(into: [:]) { found, link in
            let contact = link.contact.flatMap { known.contains($0) ? MessageHolder.contact($0) : nil }
            found[link.device] = DeviceContact(contact: link.contact, holder: contact ?? .installation(link.device))
        }
    }

    /// Notes that the app was opened, unless a later opening is known (REG-22). That is no change of the device: else each
    /// session would have its in-app messages chosen anew, and the audiences that ask for openings are chosen each time
    /// anyway (``BelfryModel/Condition/isVolatile``).
    package func opened(_ device: Int64, app: Int64, at: Date) throws {
        try connection.openings.note(at, of: .device, device)
        try connection.openings.follow(at, in: "devices", where: "id", device)
        try connection.audiences.follow(openingOf: device, app: app, at: at)
    }
}

extension ContactRepository {
    /// The same for the contact. No audience asks for it: each asks for its devices' own.
    package func opened(_ contact: Int64, at: Date) throws {
        try connection.openings.note(at, of: .contact, contact)
        try connection.openings.follow(at, in: "contacts", where: "id", contact)
    }
}
