import BelfryModel
import BelfryStore
import Foundation

/// A device of APNs with a push token and no contact, as a test writes it straight into the database: to register
/// thousands one by one takes longer than what the test then does with them.
package struct WrittenDevice: Sendable {
    package let client: String
    package let token: String
    package let environment: PushEnvironment

    package init(client: String, token: String, environment: PushEnvironment) {
        self.client = client
        self.token = token
        self.environment = environment
    }
}

extension SQLConnection {
    /// Writes devices; those that are there get the token.
    package func write(_ devices: [WrittenDevice], app: Int64, now: Date) throws {
        let known = try Set(
            query("SELECT client_id FROM devices WHERE app_id = ?", [.integer(app)]) { $0.text(0) }
        )
        try executeEach(
            """
            UPDATE devices SET push_token = ?, push_provider = ?, push_environment = ?, token_at = ?,
                updated_at = updated_at + 1
            WHERE app_id = ? AND client_id = ?
            """,
            devices.filter { known.contains($0.client) }.map { device in
                [
                    .text(device.token), .text(PushProvider.apns.rawValue), .text(device.environment.rawValue),
                    .date(now), .integer(app), .text(device.client),
                ]
            }
        )
        try executeEach(
            """
            INSERT INTO devices (app_id, client_id, link_generation, confirmed_generation, push_token, push_provider,
                push_environment, token_at, revision, token_order, properties_order, contact_order, created_at,
                updated_at)
            VALUES (?, ?, 0, 0, ?, ?, ?, ?, 0, 0, 0, 0, ?, ?)
            """,
            devices.filter { !known.contains($0.client) }.map { device in
                [
                    .integer(app), .text(device.client), .text(device.token), .text(PushProvider.apns.rawValue),
                    .text(device.environment.rawValue), .date(now), .date(now), .date(now),
                ]
            }
        )
        try fillDirectories()
        try audiences.rebuild(app: app)
    }
}

extension OpenTestStore {
    /// Writes devices of an app past its servers.
    package func write(_ devices: [WrittenDevice], app code: String, now: Date) async throws {
        let code = try AppCode(code)
        try await database.write { connection in
            guard let app = try connection.apps.find(code)?.id else {
                throw StoreError.corrupted(table: "apps", key: code.rawValue)
            }
            try connection.write(devices, app: app, now: now)
        }
    }
}
