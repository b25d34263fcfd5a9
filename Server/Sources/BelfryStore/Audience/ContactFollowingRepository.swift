import Foundation

/// A contact with so many devices that their audience rows are updated in the background.
package struct ContactFollowing: Hashable, Sendable {
    package let contact: Int64
    package let app: Int64
    /// The device after which the walk continues; 0 at the beginning.
    package let afterDevice: Int64
}

/// The contacts whose audience rows are not yet up to date (SEC-9). A walk goes over a contact's rows once, and writes
/// the values that the contact has at the time. If the contact changes during a walk, another walk follows. So every
/// row is written, even if a contact never stops changing.
package struct ContactFollowingRepository {
    let connection: any SQLConnection

    /// Begins a walk, or schedules another one after the walk that is under way.
    func begin(contact: Int64, app: Int64) throws {
        try connection.execute(
            """
            INSERT INTO contact_followings (contact_id, app_id, after_device, again) VALUES (?, ?, 0, 0)
            ON CONFLICT (contact_id) DO UPDATE SET
                again = CASE WHEN contact_followings.after_device = 0 THEN 0 ELSE 1 END
            """,
            [.integer(contact), .integer(app)]
        )
    }

    /// The next contact after this one, in a circle. Contacts that are in quarantine, or that another process works on,
    /// are skipped (SEC-8).
    ///
    /// - Parameter owner: the process that asks.
    package func next(after contact: Int64, for owner: String, now: Date) throws -> ContactFollowing? {
        let free = WorkAttempt.arguments(.contactFollowing, by: owner, now: now)
        return try first(after: contact, free) ?? first(after: .min, free)
    }

    private func first(after contact: Int64, _ free: [SQLValue]) throws -> ContactFollowing? {
        try connection.first(
            """
            SELECT contact_id, app_id, after_device FROM contact_followings
            WHERE contact_id > ? AND \(WorkAttempt.isFree("contact_followings.contact_id"))
            ORDER BY contact_id LIMIT 1
            """,
            [.integer(contact)] + free
        ) { ContactFollowing(contact: $0.integer(0), app: $0.integer(1), afterDevice: $0.integer(2)) }
    }

    /// Its arguments are the contact, the device after which the walk continues, and the limit.
    package static let devicesSQL: SQLText = """
        SELECT id FROM devices WHERE contact_id = ? AND id > ? ORDER BY id LIMIT ?
        """

    /// The next devices of a walk, ordered by number. The index of `devices` has this order; with that of an audience
    /// table, all remaining rows would be sorted for each page.
    package func devices(of following: ContactFollowing) throws -> [Int64] {
        try connection.query(
            Self.devicesSQL,
            [
                .integer(following.contact), .integer(following.afterDevice),
                .integer(AudienceRepository.maximumRows),
            ]
        ) { $0.integer(0) }
    }

    /// Records how far a walk has come. This happens before anything of the contact is read, so that a later change
    /// knows the walk's position.
    ///
    /// - Parameter device: the last of the rows that are written now; nil when the walk ends with them.
    /// - Returns: false when the walk is at another position, since another process has continued it.
    package func advance(_ following: ContactFollowing, to device: Int64?) throws -> Bool {
        let place: [SQLValue] = [.integer(following.contact), .integer(following.afterDevice)]
        if let device {
            return try connection.execute(
                "UPDATE contact_followings SET after_device = ? WHERE contact_id = ? AND after_device = ?",
                [.integer(device)] + place
            ) > 0
        }
        let begun = try connection.execute(
            """
            UPDATE contact_followings SET after_device = 0, again = 0
            WHERE contact_id = ? AND after_device = ? AND again = 1
            """,
            place
        )
        guard begun == 0 else { return true }
        return try connection.execute(
            "DELETE FROM contact_followings WHERE contact_id = ? AND after_device = ? AND again = 0", place
        ) > 0
    }

    /// Gives a walk up: the rows that it has not reached keep their values until the contact changes again.
    package func abandon(contact: Int64) throws {
        try connection.execute("DELETE FROM contact_followings WHERE contact_id = ?", [.integer(contact)])
    }
}

extension SQLConnection {
    package var contactFollowings: ContactFollowingRepository { ContactFollowingRepository(connection: self) }
}
