import Foundation

/// Queries for devices' calls and for work on devices that do not need the whole row (``DeviceRow``).
extension DeviceRepository {
    /// Reads from the table of devices in use, unless another table is named.
    package func link(id: Int64, in table: DeviceTable = .living) throws -> DeviceLink? {
        try connection.first("SELECT \(DeviceLink.columns) FROM \(table.name) WHERE id = ?", [.integer(id)]) {
            DeviceLink(id: id, $0)
        }
    }

    /// For each of these devices that still exists: its contact, nil if it has none, and the holder of its messages.
    /// The devices are read first, and then which of their contacts are known: the two are on different servers
    /// (FLEET-5).
    package func contacts(of devices: [Int64]) throws -> [Int64: DeviceContact] {
        let areThese = connection.dialect.isAmong(devices, "id")
        let links = try connection.query(
            "SELECT id, contact_id FROM devices WHERE \(areThese.sql)", areThese.arguments
        ) { (device: $0.integer(0), contact: $0.optionalInteger(1)) }
        let known = try connection.contacts.known(among: Set(links.compactMap(\.contact)))
        return links.reduce(into: [:]) { found, link in
            let contact = link.contact.flatMap { known.contains($0) ? MessageHolder.contact($0) : nil }
            found[link.device] = DeviceContact(contact: link.contact, holder: contact ?? .installation(link.device))
        }
    }

    /// Records that the app was opened, unless a later opening is known (REG-22). This does not count as a change of
    /// the device: otherwise each session would select its in-app messages again. Audiences that ask for openings are
    /// evaluated each time anyway (``BelfryModel/Condition/isVolatile``).
    package func opened(_ device: Int64, app: Int64, at: Date) throws {
        try connection.openings.note(at, of: .device, device)
        try connection.openings.follow(at, in: "devices", where: "id", device)
        try connection.audiences.follow(openingOf: device, app: app, at: at)
    }
}

extension ContactRepository {
    /// Records the opening for the contact. No audience uses it: audiences use the devices' openings.
    package func opened(_ contact: Int64, at: Date) throws {
        try connection.openings.note(at, of: .contact, contact)
        try connection.openings.follow(at, in: "contacts", where: "id", contact)
    }
}
