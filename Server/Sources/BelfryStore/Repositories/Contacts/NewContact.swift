import Foundation

/// A contact that does not exist yet; it has nothing but its key.
package struct NewContact: Sendable {
    package let app: Int64
    package let key: String
    /// Whether the contact has a key from the app.
    package let isKnown: Bool
    package let now: Date

    package init(app: Int64, key: String, isKnown: Bool, now: Date) {
        self.app = app
        self.key = key
        self.isKnown = isKnown
        self.now = now
    }

    /// Inserts the contact and returns its number, or that of the contact that already has the key.
    var insertion: SQLFragment {
        SQLFragment(
            """
            INSERT INTO contacts (app_id, contact_key, known, attributes, created_at, updated_at)
            VALUES (?, ?, ?, '{}', ?, ?)
            ON CONFLICT (app_id, contact_key) DO UPDATE SET updated_at = excluded.updated_at
            RETURNING coalesce(merged_into, id)
            """,
            [.integer(app), .text(key), .flag(isKnown), .date(now), .date(now)]
        )
    }

    /// The same under a number that its key has got (``ContactKeyDirectory/give(_:)``).
    func insertion(under number: Int64) -> SQLFragment {
        SQLFragment(
            """
            INSERT INTO contacts (id, app_id, contact_key, known, attributes, created_at, updated_at)
            VALUES (?, ?, ?, ?, '{}', ?, ?)
            ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at
            RETURNING coalesce(merged_into, id)
            """,
            [.integer(number), .integer(app), .text(key), .flag(isKnown), .date(now), .date(now)]
        )
    }
}
