import Foundation

/// A contact with so many devices that their audience rows follow it in the background.
package struct ContactFollowing: Hashable, Sendable {
    package let contact: Int64
    package let app: Int64
    /// Behind which device it goes on; 0 at the beginning.
    package let afterDevice: Int64
}

/// The contacts whose audience rows are behind (SEC-9). One walk over a contact's rows writes what the contact has when it
/// comes by; a change amid it has another one follow, so that a contact which changes without end keeps nobody's row from
/// being written.
package struct ContactFollowingRepository {
    let connection: any SQLConnection

    /// Begins a walk, or has another one follow that which is under way.
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

    /// The next one behind a contact, in a circle. Those are left out that are set aside, or that another process is at
    /// (SEC-8).
    ///
    /// - Parameter owner: who asks.
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

    /// Its arguments are the contact, the device behind which it goes on, and the limit.
    package static let devicesSQL: SQLText = """
        SELECT id FROM devices WHERE contact_id = ? AND id > ? ORDER BY id LIMIT ?
        """

    /// The devices whose rows a walk comes to next, in the order of their numbers. The index of `devices` has them in that
    /// order; that of an audience table would have the rest sorted for each page.
    package func devices(of following: ContactFollowing) throws -> [Int64] {
        try connection.query(
            Self.devicesSQL,
            [
                .integer(following.contact), .integer(following.afterDevice),
                .integer(AudienceRepository.maximumRows),
            ]
        ) { $0.integer(0) }
    }

    /// Notes how far a walk comes, before anything of the contact is read: a change that comes later then knows of it.
    ///
    /// - Parameter device: the last of the rows that are written now; nil when the walk ends with them.
    /// - Returns: false when it stands elsewhere: another process was here.
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

    /// Gives a walk up: the rows that it has not reached stay as they are until the contact changes again.
    package func giveUp(contact: Int64) throws {
        try connection.execute("DELETE FROM contact_followings WHERE contact_id = ?", [.integer(contact)])
    }
}

extension SQLConnection {
    package var contactFollowings: ContactFollowingRepository { ContactFollowingRepository(connection: self) }
}
