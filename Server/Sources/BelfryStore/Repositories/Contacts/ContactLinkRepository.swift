import BelfryModel
import Foundation

/// Why a device came to a contact or left it.
package enum ContactLinkCause: String, Hashable, Sendable, CaseIterable {
    /// The app linked it.
    case link
    /// The app linked nobody any more.
    case logout
    /// A registration named the contact.
    case registration
    /// A re-installed app took its anonymous contact back (REG-23).
    case takeover
    /// An operator merged two contacts (ADM-5).
    case merge
    /// An operator revoked the device (SEC-10).
    case revocation
}

/// A device came to a contact, or left it.
package struct ContactLinkRow: Hashable, Sendable {
    package let device: Int64
    package let contact: Int64
    package let at: Date
    /// Whether it came; otherwise it left.
    package let began: Bool
    package let cause: ContactLinkCause
    /// Whether the app has named the contact.
    package let isKnown: Bool
}

/// When devices came to contacts and left them, for people's timelines. Of each device the newest are kept.
package struct ContactLinkRepository {
    /// Rows of one device: half as many changes.
    package static let maximumRows = 200

    let connection: any SQLConnection

    /// Notes that a device has left one contact for another.
    ///
    /// - Parameters:
    ///   - former: nil when it had none, or when its history has gone along.
    ///   - contact: nil when it has none now.
    package func note(
        _ device: Int64, from former: Int64?, to contact: Int64?, cause: ContactLinkCause, at: Date
    ) throws {
        let rows = [former.map { ($0, false) }, contact.map { ($0, true) }].compactMap(\.self)
        guard !rows.isEmpty else { return }
        try connection.executeEach(
            """
            INSERT INTO contact_links (device_id, at, contact_id, began, cause) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """,
            rows.map { [.integer(device), .date(at), .integer($0.0), .flag($0.1), .text(cause.rawValue)] }
        )
        try connection.execute(
            """
            DELETE FROM contact_links WHERE device_id = ? AND at < (
                SELECT at FROM contact_links WHERE device_id = ? ORDER BY at DESC LIMIT 1 OFFSET ?)
            """,
            [.integer(device), .integer(device), .integer(Self.maximumRows - 1)]
        )
    }

    package func deleteAll(ofDevice device: Int64) throws {
        try connection.execute("DELETE FROM contact_links WHERE device_id = ?", [.integer(device)])
    }

    /// Those of a contact, and of the contacts that went into it.
    package func deleteAll(ofContact contact: Int64) throws {
        try connection.execute(
            """
            DELETE FROM contact_links WHERE contact_id = ?
                OR contact_id IN (SELECT id FROM contacts WHERE merged_into = ?)
            """,
            [.integer(contact), .integer(contact)]
        )
    }
}

extension SQLConnection {
    package var contactLinks: ContactLinkRepository { ContactLinkRepository(connection: self) }
}
