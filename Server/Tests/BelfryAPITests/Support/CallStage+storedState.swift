import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// A device's rows in the store, with those of its contact.
struct StoredDeviceState: Hashable, Sendable {
    let device: DeviceRow
    let contact: ContactRow?
    let tags: [String]
    let badge: Badge
    /// Rows of the tables that device calls write to.
    let rows: [Int64]
}

extension CallStage {
    /// Reads the store itself, because a call of the admin API would write an audit entry.
    func storedState() async throws -> StoredDeviceState {
        let (code, client) = (try AppCode(device.app), try DeviceID(device.id))
        return try await server.database.read { connection in
            let app = try #require(try connection.apps.find(code))
            let device = try #require(try connection.devices.find(app: app.id, client: client))
            let contact = try device.contact.flatMap { try connection.contacts.find(id: $0) }
            let tables = ["devices", "contacts", "events", "registrations", "refresh_tokens", "rich_confirmations"]
            return StoredDeviceState(
                device: device, contact: contact,
                tags: try contact.map { try connection.contactTags.list(of: $0.id) } ?? [],
                badge: try connection.badges.find(device: device.id),
                rows: try tables.map { table in
                    try connection.first(SQLText(ofTest: "SELECT COUNT(*) FROM \(table)"), []) { $0.integer(0) } ?? 0
                }
            )
        }
    }
}
