/// Contacts whose audience rows are updated in the background, some at a time, since all of them would block the writer
/// for long (SEC-9).
enum Version26Followings {
    static func tables(_ dialect: any Dialect) -> [SQLText] {
        [
            """
            CREATE TABLE contact_followings (
                contact_id \(dialect.numberColumn), app_id BIGINT NOT NULL, after_device BIGINT NOT NULL,
                again BIGINT NOT NULL)
            """,
            """
            CREATE TABLE event_moves (
                device_id BIGINT NOT NULL, contact_id BIGINT NOT NULL, other_id BIGINT NOT NULL,
                after_event TEXT NOT NULL, PRIMARY KEY (device_id, contact_id)) \(dialect.clustered)
            """,
        ]
    }
}
