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

    /// Tags that a list has at most: each of a contact's devices may put as many on it, and any number of devices may
    /// have one contact (SEC-2).
    package static let maximumListed = 1_000

    /// The first tags of the union over the contact's devices, in order (REG-28).
    ///
    /// - Parameter tag: the one behind which they begin; none is empty.
    package func list(
        of contact: Int64, after tag: String = "", limit: Int = ContactTagRepository.maximumListed
    ) throws -> [String] {
        try connection.query(
            "SELECT DISTINCT tag FROM contact_tags WHERE contact_id = ? AND tag > ? ORDER BY tag LIMIT ?",
            [.integer(contact), .text(tag), .integer(limit)]
        ) { $0.text(0) }
    }

    /// Which of some devices have put each of some tags on a contact, by the bytes of the tags: two that Swift takes for
    /// one are two.
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
        if moved > 0 { try noteMove(from: contact, to: other, now: now) }
    }

    /// Moves the first tags of a contact to another one, whatever devices have put them: any number of devices may have
    /// left some behind.
    ///
    /// - Returns: how many it were.
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

    /// The devices of both see that their contact has changed.
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
