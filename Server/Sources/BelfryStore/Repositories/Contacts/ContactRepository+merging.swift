import BelfryModel
import Foundation

/// How an anonymous contact goes into a known one (ID-8).
extension ContactRepository {
    /// The contact that stands for this one by now: itself, or the known one that it went into.
    ///
    /// One step is always enough: what has gone into a contact goes on with it (``redirect(_:to:now:)``). Nil for a number
    /// that names nobody any more.
    package func surviving(_ id: Int64) throws -> Int64? {
        try connection.first("SELECT coalesce(merged_into, id) FROM contacts WHERE id = ?", [.integer(id)]) {
            $0.integer(0)
        }
    }

    /// Leaves of a contact nothing but the way to the one that it went into. Its devices have another by then, or get one
    /// in the same transaction: the audience follows them.
    package func redirect(_ id: Int64, to contact: Int64, now: Date) throws {
        try connection.execute(
            "UPDATE contacts SET merged_into = ? WHERE merged_into = ?", [.integer(contact), .integer(id)]
        )
        try connection.execute(
            """
            UPDATE contacts SET merged_into = ?, attributes = '{}', party = NULL, party_type = NULL,
                party_name = NULL, party_number = NULL, last_opened_at = NULL, updated_at = \(DeviceRepository.later)
            WHERE id = ?
            """,
            [.integer(contact), .date(now), .date(now), .integer(id)]
        )
    }

    /// Whether a contact is a person that the app knows; false for one that is not there.
    package func isKnown(_ id: Int64) throws -> Bool {
        try connection.first("SELECT known FROM contacts WHERE id = ?", [.integer(id)]) { $0.flag(0) } ?? false
    }

    /// The contacts that went into this one.
    package func merged(into contact: Int64) throws -> [Int64] {
        try connection.query("SELECT id FROM contacts WHERE merged_into = ? ORDER BY id", [.integer(contact)]) {
            $0.integer(0)
        }
    }

    /// Moves the tags that one device put on a contact to another contact; without a device, those of all. The devices of
    /// both see that their contact has changed.
    package func moveTags(of device: Int64?, from contact: Int64, to other: Int64, now: Date) throws {
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

extension EventRepository {
    /// Gives the events that a device sent under one contact to another.
    package func move(of device: Int64, from contact: Int64, to other: Int64) throws {
        try connection.execute(
            "UPDATE events SET contact_id = ? WHERE device_id = ? AND contact_id = ?",
            [.integer(other), .integer(device), .integer(contact)]
        )
    }
}
