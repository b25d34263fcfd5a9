import BelfryModel
import Foundation

/// The tags of contacts, each with the device that set it (REG-28).
package struct ContactTagRepository {
    let connection: any SQLConnection

    /// Replaces the tags that one device has set on a contact. The caller must also save the contact, so that its other
    /// devices see the change.
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

    /// The most tags in a list: each device may set as many on a contact as a registration allows, and a contact may
    /// have any number of devices (SEC-2).
    package static let maximumListed = 1_000

    /// The first tags of a contact, over all its devices, in order (REG-28).
    ///
    /// - Parameter tag: the tag after which the list begins; the empty text precedes all tags.
    package func list(
        of contact: Int64, after tag: String = "", limit: Int = ContactTagRepository.maximumListed
    ) throws -> [String] {
        try connection.query(
            "SELECT DISTINCT tag FROM contact_tags WHERE contact_id = ? AND tag > ? ORDER BY tag LIMIT ?",
            [.integer(contact), .text(tag), .integer(limit)]
        ) { $0.text(0) }
    }

    /// Which of some devices have set each of some tags on a contact. Tags are compared by bytes: two that are equal in
    /// Swift may be different here.
    package func taggers(
        of tags: [String], on contact: Int64, among devices: [Int64]
    ) throws -> [[UInt8]: [Int64]] {
        guard !tags.isEmpty, !devices.isEmpty else { return [:] }
        let rows = try connection.query(
            """
            SELECT tag, device_id FROM contact_tags
            WHERE contact_id = ? AND tag IN (\(connection.dialect.texts))
                AND device_id IN (\(connection.dialect.integers))
            ORDER BY tag, device_id
            """,
            [.integer(contact), .texts(tags), .integers(devices)]
        ) { (tag: $0.utf8(0), device: $0.integer(1)) }
        return Dictionary(grouping: rows, by: \.tag).mapValues { $0.map(\.device) }
    }

    /// Moves the tags that one device has set on a contact to another contact; without a device, those of all devices.
    /// The devices of both contacts see the change.
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
        if moved > 0 { try noteMove(from: contact, to: other, now: now) }
    }

    /// Moves the first tags of a contact to another one, from all devices. The limit is needed since any number of
    /// devices may have left tags.
    ///
    /// - Returns: how many tags were moved.
    package func moveFirst(_ limit: Int, from contact: Int64, to other: Int64, now: Date) throws -> Int {
        let first = try connection.query(
            "SELECT tag, device_id FROM contact_tags WHERE contact_id = ? ORDER BY tag, device_id LIMIT ?",
            [.integer(contact), .integer(limit)]
        ) { [SQLValue.text($0.text(0)), .integer($0.integer(1))] }
        guard !first.isEmpty else { return 0 }
        try connection.executeEach(
            "INSERT INTO contact_tags (contact_id, tag, device_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            first.map { [.integer(other)] + $0 }
        )
        try connection.executeEach(
            "DELETE FROM contact_tags WHERE contact_id = ? AND tag = ? AND device_id = ?",
            first.map { [.integer(contact)] + $0 }
        )
        try noteMove(from: contact, to: other, now: now)
        return first.count
    }

    /// Marks both contacts as changed, so that their devices see it.
    private func noteMove(from contact: Int64, to other: Int64, now: Date) throws {
        try connection.execute(
            "UPDATE contacts SET updated_at = updated_at + 1 WHERE id IN (?, ?)", [.integer(contact), .integer(other)]
        )
        for contact in [contact, other] { try connection.silentPushes.ask(.tags, contact: contact, now: now) }
    }
}

extension SQLConnection {
    package var contactTags: ContactTagRepository { ContactTagRepository(connection: self) }
}
