/// Silent pushes of campaigns share the budget of the server's own (PUSH-7), and devices that enter the audience of a
/// published message are told (IAM-15).
enum Version18SilentTurns {
    static let migration = Migration(version: 18) { _ in
        [
            // The campaign whose push has the device's turn; what that takes along is `carried`.
            "ALTER TABLE silent_pushes ADD COLUMN campaign_id BIGINT",
            // When the last push left that was accepted, and when it was last found out whether the device has entered
            // an audience.
            "ALTER TABLE silent_pushes ADD COLUMN accepted_since BIGINT",
            "ALTER TABLE silent_pushes ADD COLUMN looked_at BIGINT",
            // By which changes devices can enter the audiences of the app's messages, as bits of a sum, and by which
            // events (JSON); null until one of its in-app campaigns changes next: by any.
            "ALTER TABLE in_app_clocks ADD COLUMN entered_by BIGINT",
            "ALTER TABLE in_app_clocks ADD COLUMN entered_by_events TEXT",
        ]
    }
}
