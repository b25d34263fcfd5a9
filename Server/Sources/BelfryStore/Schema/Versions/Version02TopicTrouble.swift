/// Stores, also across pauses, since when a campaign has opted devices out because of a wrong topic or environment
/// (REG-35).
enum Version02TopicTrouble {
    static let migration = Migration(version: 2) { _ in
        [
            "ALTER TABLE campaigns ADD COLUMN trouble_since BIGINT",
            "CREATE INDEX campaigns_by_trouble ON campaigns (app_id) WHERE trouble_since IS NOT NULL",
        ]
    }
}
