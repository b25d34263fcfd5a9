import BelfryModel
import BelfryStore
import Foundation

/// A device of APNs that a test writes straight into the database, with an anonymous contact, as if it had linked and
/// stored its push token. To register thousands one by one takes longer than what a test then does with them.
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

extension OpenTestStore {
    /// Writes devices of an app that has none yet.
    package func write(_ devices: [WrittenDevice], app code: String, now: Date) async throws {
        let code = try AppCode(code)
        try await database.write { connection in
            guard let app = try connection.apps.find(code)?.id else {
                throw StoreError.corrupted(table: "apps", key: code.rawValue)
            }
            try connection.executeEach(
                """
                INSERT INTO contacts (app_id, contact_key, known, attributes, created_at, updated_at)
                VALUES (?, ?, 0, '{}', ?, ?)
                """,
                devices.map { [.integer(app), .text($0.client), .date(now), .date(now)] }
            )
            try connection.executeEach(
                """
                INSERT INTO devices (app_id, client_id, contact_id, link_generation, confirmed_generation, push_token,
                    push_provider, push_environment, token_at, revision, token_order, properties_order, contact_order,
                    created_at, updated_at)
                VALUES (?, ?, (SELECT id FROM contacts WHERE app_id = ? AND contact_key = ?), 1, 1, ?, ?, ?, ?, 0, 0, 0,
                    0, ?, ?)
                """,
                devices.map { device in
                    [
                        .integer(app), .text(device.client), .integer(app), .text(device.client), .text(device.token),
                        .text(PushProvider.apns.rawValue), .text(device.environment.rawValue), .date(now), .date(now),
                        .date(now),
                    ]
                }
            )
            try connection.audiences.rebuild(app: app)
        }
    }
}
