import BelfryServerTestSupport
import BelfryStore
import Foundation

/// How the program of version 25 notes openings and reads them.
extension SQLConnection {
    func openAsBefore(_ device: Int64, app: Int64, at: Date) throws {
        let changed = try execute(
            "UPDATE devices SET last_opened_at = ? WHERE id = ? AND (last_opened_at IS NULL OR last_opened_at < ?)",
            [.date(at), .integer(device), .date(at)]
        )
        guard changed > 0 else { return }
        try execute(
            SQLText(ofTest: "UPDATE audience_\(app) SET last_opened_at = ? WHERE device_id = ?"),
            [.date(at), .integer(device)]
        )
    }

    func openAsBefore(contact: Int64, at: Date) throws {
        try execute(
            "UPDATE contacts SET last_opened_at = ? WHERE id = ? AND (last_opened_at IS NULL OR last_opened_at < ?)",
            [.date(at), .integer(contact), .date(at)]
        )
    }

    /// Of a device, in its own row and in that of the audience, and of a contact.
    func openingsAsBefore(_ device: Int64, app: Int64, contact: Int64) throws -> [Date?] {
        let queries = [
            ("SELECT last_opened_at FROM devices WHERE id = ?", device),
            ("SELECT last_opened_at FROM audience_\(app) WHERE device_id = ?", device),
            ("SELECT last_opened_at FROM contacts WHERE id = ?", contact),
        ]
        return try queries.map { sql, id in
            try first(SQLText(ofTest: sql), [.integer(id)]) { $0.optionalDate(0) } ?? nil
        }
    }
}
