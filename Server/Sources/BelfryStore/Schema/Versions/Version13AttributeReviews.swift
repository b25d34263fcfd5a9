/// Attributes can be removed, and what devices sent before a definition changed is reviewed (REG-25).
enum Version13AttributeReviews {
    static let migration = Migration(version: 13) { _ in
        [
            """
            CREATE TABLE removed_attributes (
                app_id BIGINT NOT NULL, name TEXT NOT NULL, number BIGINT NOT NULL, removed_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, name))
            """,
            // How far the review of an app has come: contacts upwards, then registrations downwards.
            """
            CREATE TABLE attribute_reviews (
                app_id BIGINT NOT NULL PRIMARY KEY, contacts_after BIGINT, registrations_through BIGINT NOT NULL)
            """,
        ]
    }
}
