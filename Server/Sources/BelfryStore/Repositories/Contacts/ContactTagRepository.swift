import BelfryModel
import Foundation

/// The tags of contacts, each with the device that put it (REG-28).
package struct ContactTagRepository {
    let connection: any SQLConnection

    /// Replaces the tags that one device put on a contact; whoever does it saves the contact, too, so that its other
    /// devices see that it has changed.
    package func replace(of device: Int64, on contact: Int64, with tags: Set<Tag>, now: Date) throws {
        let before = try connection.query(
            "SELECT tag FROM contact_tags WHERE contact_id = ? AND device_id = ?",
            [.integer(contact), .integer(device)]
        ) { Array($0.text(0).utf8) }
        guard Set(before) != Set(tags.map { Array($0.rawValue.utf8) }) else { return }
        try connection.executeLater(
            "DELETE FROM contact_tags WHERE contact_id = ? AND device_id = ?", [.integer(contact), .integer(device)]
        )
        for tag in tags.sorted() {
            try connection.executeLater(
                "INSERT INTO contact_tags (contact_id, tag, device_id) VALUES (?, ?, ?)",
                [.integer(contact), .text(tag.rawValue), .integer(device)]
            )
        }
        try connection.silentPushes.ask(.tags, contact: contact, now: now)
    }

    /// The union over the contact's devices, in order (REG-28).
    package func list(of contact: Int64) throws -> [String] {
        try connection.query(
            "SELECT DISTINCT tag FROM contact_tags WHERE contact_id = ? ORDER BY tag", [.integer(contact)]
        ) { $0.text(0) }
    }

    /// Tags of a contact, in order, each with the numbers of the devices that put it.
    package func taggings(of contact: Int64) throws -> [(tag: String, devices: [Int64])] {
        let rows = try connection.query(
            "SELECT tag, device_id FROM contact_tags WHERE contact_id = ? ORDER BY tag, device_id",
            [.integer(contact)]
        ) { ($0.text(0), $0.integer(1)) }
        return rows.reduce(into: []) { tags, row in
            if let last = tags.last, last.tag.utf8.elementsEqual(row.0.utf8) {
                tags[tags.count - 1].devices.append(row.1)
            } else {
                tags.append((tag: row.0, devices: [row.1]))
            }
        }
    }

    /// Moves the tags that one device put on a contact to another contact; without a device, those of all. The devices of
    /// both see that their contact has changed.
    package func move(of device: Int64?, from contact: Int64, to other: Int64, now: Date) throws {
        let whose: SQLText = device == nil ? "contact_id = ?" : "contact_id = ? AND device_id = ?"
        let arguments = [contact, device].compactMap { $0.map(SQLValue.integer) }
        try connection.execute(
            """
            INSERT INTO contact_tags (contact_id, tag, device_id)
            SELECT ?, tag, device_id FROM contact_tags WHERE \(whose) ON CONFLICT DO NOTHING
            """,
            [.integer(other)] + arguments
        )
        let moved = try connection.execute("DELETE FROM contact_tags WHERE \(whose)", arguments)
        guard moved > 0 else { return }
        try connection.execute(
            "UPDATE contacts SET updated_at = updated_at + 1 WHERE id IN (?, ?)", [.integer(contact), .integer(other)]
        )
        for contact in [contact, other] { try connection.silentPushes.ask(.tags, contact: contact, now: now) }
    }
}

extension SQLConnection {
    package var contactTags: ContactTagRepository { ContactTagRepository(connection: self) }
}
