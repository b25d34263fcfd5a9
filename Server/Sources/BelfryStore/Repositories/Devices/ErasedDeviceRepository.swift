import BelfryModel
import Foundation

/// Installations whose person was erased: for good (REG-36).
package struct ErasedDeviceRepository {
    let connection: any SQLConnection

    package func insert(_ clients: [DeviceID], app: Int64, now: Date) throws {
        try connection.executeEach(
            "INSERT INTO erased_devices (app_id, client_id, erased_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            clients.map { [.integer(app), .text($0.canonical), .date(now)] }
        )
    }

    package func contains(_ client: DeviceID, app: Int64) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM erased_devices WHERE app_id = ? AND client_id = ?",
            [.integer(app), .text(client.canonical)]
        ) { $0.flag(0) } ?? false
    }
}

extension SQLConnection {
    package var erasedDevices: ErasedDeviceRepository { ErasedDeviceRepository(connection: self) }
}
