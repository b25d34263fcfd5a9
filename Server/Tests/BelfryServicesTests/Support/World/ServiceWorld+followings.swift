import BelfryServices
import BelfryStore

/// What follows contacts in the background (SEC-9).
extension ServiceWorld {
    func makeFollower(_ database: (any SQLDatabase)? = nil, attempts: WorkAttempts? = nil) -> ContactFollower {
        ContactFollower(
            database: database ?? self.database, environment: environment,
            attempts: attempts ?? makeAttempts(over: database), logger: logger
        )
    }

    /// A new device's contact is to be followed.
    func makeFollowing(of key: String, number: Int) async throws {
        _ = try await ServiceDevice.registered(self, number, key: key)
        try await database.write { connection in
            _ = try connection.execute(
                """
                INSERT INTO contact_followings (contact_id, app_id, after_device, again)
                SELECT id, app_id, 0, 0 FROM contacts WHERE contact_key = ?
                """,
                [.text(key)]
            )
        }
    }
}
