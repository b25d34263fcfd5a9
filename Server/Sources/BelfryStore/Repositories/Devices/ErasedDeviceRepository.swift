import BelfryModel
import Foundation

/// Installations whose person was erased; this is permanent (REG-36).
package struct ErasedDeviceRepository {
    let connection: any SQLConnection

    /// Records an erasure. If an id was erased several times, the newest counts.
    package func insert(_ clients: [DeviceID], app: Int64, now: Date) throws {
        try connection.executeEach(
            """
            INSERT INTO erased_devices (app_id, client_id, erased_at) VALUES (?, ?, ?)
            ON CONFLICT (app_id, client_id) DO UPDATE SET erased_at = excluded.erased_at
            """,
            clients.map { [.integer(app), .text($0.canonical), .date(now)] }
        )
    }

    /// When an installation with this id was erased; nil if none was.
    package func find(_ client: DeviceID, app: Int64) throws -> Date? {
        let question = Self.askForErasure(client, app: app)
        return try connection.first(question.sql, question.arguments) { $0.date(0) }
    }

    /// The query of ``find(_:app:)``.
    static func askForErasure(_ client: DeviceID, app: Int64) -> SQLFragment {
        SQLFragment(
            "SELECT erased_at FROM erased_devices WHERE app_id = ? AND client_id = ?",
            [.integer(app), .text(client.canonical)]
        )
    }
}

extension SQLConnection {
    package var erasedDevices: ErasedDeviceRepository { ErasedDeviceRepository(connection: self) }
}
