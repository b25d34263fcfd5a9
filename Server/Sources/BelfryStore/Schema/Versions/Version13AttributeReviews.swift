/// Attributes can be removed, and earlier data of devices is reviewed after a definition has changed (REG-25).
enum Version13AttributeReviews {
    static let migration = Migration(version: 13) { _ in
        [
            """
            CREATE TABLE removed_attributes (
                app_id BIGINT NOT NULL, name TEXT NOT NULL, number BIGINT NOT NULL, removed_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, name))
            """,
            // The progress of an app's review: contacts in ascending order, then registrations in descending order.
            """
            CREATE TABLE attribute_reviews (
                app_id BIGINT NOT NULL PRIMARY KEY, contacts_after BIGINT, registrations_through BIGINT NOT NULL)
            """,
        ]
    }
}
