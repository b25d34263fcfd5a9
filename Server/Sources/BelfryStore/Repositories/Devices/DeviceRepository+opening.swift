import Foundation

extension DeviceRepository {
    /// Notes that the app was opened, unless a later opening is known (REG-22). That is no change of the device: else each
    /// session would have its in-app messages chosen anew, and the audiences that ask for openings are chosen each time
    /// anyway (``BelfryModel/Condition/isVolatile``).
    package func opened(_ device: Int64, app: Int64, at: Date) throws {
        let changed = try connection.execute(
            """
            UPDATE devices SET last_opened_at = ? WHERE id = ? AND (last_opened_at IS NULL OR last_opened_at < ?)
            """,
            [.date(at), .integer(device), .date(at)]
        )
        if changed > 0 { try connection.audiences.follow(openingOf: device, app: app, at: at) }
    }
}

extension ContactRepository {
    /// The same for the contact. No audience asks for it: each asks for its devices' own.
    package func opened(_ contact: Int64, at: Date) throws {
        try connection.execute(
            """
            UPDATE contacts SET last_opened_at = ? WHERE id = ? AND (last_opened_at IS NULL OR last_opened_at < ?)
            """,
            [.date(at), .integer(contact), .date(at)]
        )
    }
}
