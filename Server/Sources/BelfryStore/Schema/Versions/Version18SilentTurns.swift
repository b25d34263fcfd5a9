/// Silent pushes of campaigns share the budget of the server's own (PUSH-7), and devices that enter the audience of a
/// published message get a silent push (IAM-15).
enum Version18SilentTurns {
    static let migration = Migration(version: 18) { _ in
        [
            // The campaign whose push is sent next to the device; other reasons that share the push are in `carried`.
            "ALTER TABLE silent_pushes ADD COLUMN campaign_id BIGINT",
            // When the last accepted push was sent, and when it was last checked whether the device has entered an
            // audience.
            "ALTER TABLE silent_pushes ADD COLUMN accepted_since BIGINT",
            "ALTER TABLE silent_pushes ADD COLUMN looked_at BIGINT",
            // The kinds of changes, as a sum of bits, and the events, as JSON, through which devices can enter the
            // audiences of the app's messages. Null until one of its in-app campaigns changes next: then any change
            // counts.
            "ALTER TABLE in_app_clocks ADD COLUMN entered_by BIGINT",
            "ALTER TABLE in_app_clocks ADD COLUMN entered_by_events TEXT",
        ]
    }
}
