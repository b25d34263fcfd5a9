import Foundation

extension CampaignRepository {
    /// The app's campaigns whose audience is not selected yet, or only in part: they are scheduled, paused before their
    /// start, or launched and not completely planned. The audience of an in-app campaign is selected at each sync as
    /// long as the campaign runs.
    ///
    /// Returns only their numbers, so that a campaign that cannot be read does not hide the others.
    package func waiting(app: Int64) throws -> [Int64] {
        try connection.query(
            """
            SELECT id FROM campaigns WHERE app_id = ?
                AND ((launched_at IS NULL AND status IN ('scheduled', 'paused'))
                    OR (launched_at IS NOT NULL AND planned = 0)
                    OR (kind = 'inApp' AND status IN ('active', 'paused')))
            ORDER BY id
            """,
            [.integer(app)]
        ) { $0.integer(0) }
    }

    /// The app's campaigns that were launched or scheduled and have not ended. Only their numbers, as for
    /// ``waiting(app:)``.
    package func unfinished(app: Int64) throws -> [Int64] {
        try connection.query(
            """
            SELECT id FROM campaigns WHERE app_id = ? AND status IN ('scheduled', 'sending', 'paused', 'active')
            ORDER BY id
            """,
            [.integer(app)]
        ) { $0.integer(0) }
    }

    /// The app's campaigns that send notifications and are scheduled to begin before a moment, the earliest first. Only
    /// their numbers, as for ``waiting(app:)``.
    package func notifyingLater(app: Int64, before: Date, limit: Int) throws -> [Int64] {
        try connection.query(
            """
            SELECT id FROM campaigns WHERE app_id = ? AND kind IN ('push', 'pushAndMessageCenter')
                AND status = 'scheduled' AND scheduled_at < ?
            ORDER BY scheduled_at, id LIMIT ?
            """,
            [.integer(app), .date(before), .integer(limit)]
        ) { $0.integer(0) }
    }

    /// The app's campaigns that may still place a message in a message center: they are scheduled, sending or paused,
    /// planned or not. Only their numbers, as for ``waiting(app:)``.
    package func keeping(app: Int64) throws -> [Int64] {
        try connection.query(
            """
            SELECT id FROM campaigns WHERE app_id = ? AND kind IN ('messageCenter', 'pushAndMessageCenter')
                AND status IN ('scheduled', 'sending', 'paused')
            ORDER BY id
            """,
            [.integer(app)]
        ) { $0.integer(0) }
    }
}
