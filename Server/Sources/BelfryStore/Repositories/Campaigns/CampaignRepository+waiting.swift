import Foundation

extension CampaignRepository {
    /// The app's campaigns whose audience is still to be selected, or is being selected: they are scheduled, paused
    /// before their time, or launched and not planned to the end. That of an in-app campaign is selected as long as it
    /// goes on, at each sync.
    ///
    /// Their numbers alone: one that cannot be read must not hide the others.
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

    /// The app's campaigns that were launched or scheduled and have not ended. Their numbers alone, as above.
    package func unfinished(app: Int64) throws -> [Int64] {
        try connection.query(
            """
            SELECT id FROM campaigns WHERE app_id = ? AND status IN ('scheduled', 'sending', 'paused', 'active')
            ORDER BY id
            """,
            [.integer(app)]
        ) { $0.integer(0) }
    }

    /// The app's campaigns that send notifications and begin before a moment by their schedule, the first first. Their
    /// numbers alone, as above.
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

    /// The app's campaigns that may still keep a message in a center: they are scheduled, sending or paused, planned or
    /// not. Their numbers alone, as above.
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
