import BelfryModel
import BelfryServerModel
import Foundation

/// Rehearsals (CON-12): requested, leased by a worker, and kept with their results.
package struct RehearsalRepository {
    let connection: any SQLConnection

    package func insert(campaign: CampaignID, app: Int64, version: String, now: Date) throws -> Int64 {
        let ids = try connection.query(
            """
            INSERT INTO rehearsals (app_id, campaign_id, version, status, requested_at)
            VALUES (?, ?, ?, 'waiting', ?) RETURNING id
            """,
            [.integer(app), .integer(campaign.number), .text(version), .date(now)]
        ) { $0.integer(0) }
        guard let id = ids.first else { throw StoreError.corrupted(table: "rehearsals", key: campaign.description) }
        return id
    }

    package func find(_ id: Int64) throws -> RehearsalRow? {
        try connection.first(
            "SELECT \(RehearsalRow.columns) FROM rehearsals WHERE id = ?", [.integer(id)], RehearsalRow.init
        )
    }

    /// A campaign's rehearsals, newest first, older than the cursor.
    package func list(of campaign: CampaignID, before cursor: Int64? = nil, limit: Int) throws -> [RehearsalRow] {
        try connection.query(
            """
            SELECT \(RehearsalRow.columns) FROM rehearsals WHERE campaign_id = ? AND id < ? ORDER BY id DESC LIMIT ?
            """,
            [.integer(campaign.number), .integer(cursor ?? .max), .integer(limit)], RehearsalRow.init
        )
    }

    /// How many rehearsals of an app have not ended.
    package func waiting(app: Int64) throws -> Int {
        try connection.first(
            "SELECT count(*) FROM rehearsals WHERE ended_at IS NULL AND app_id = ?", [.integer(app)]
        ) { Int($0.integer(0)) } ?? 0
    }

    /// Leases a rehearsal that waits, or whose worker has died. Apps take turns, so an app with very many does not
    /// delay others: apps without a rehearsal under way come first, and of these the next in a circle. Within an app
    /// the oldest comes first.
    ///
    /// Two workers that claim at the same time both read what is under way, so the engine runs the second claim again.
    ///
    /// - Parameter last: the app after which the search begins.
    package func claim(
        after last: Int64 = .min, owner: String, until lease: Date, now: Date
    ) throws -> RehearsalRow? {
        try connection.query(
            """
            WITH due AS (
                SELECT r.id FROM rehearsals r
                WHERE r.ended_at IS NULL
                    AND (r.status = 'waiting' OR r.lease_until IS NULL OR r.lease_until <= ?)
                ORDER BY CASE WHEN r.app_id IN (
                        SELECT u.app_id FROM rehearsals u
                        WHERE u.ended_at IS NULL AND u.status = 'running' AND u.lease_until > ?) THEN 1 ELSE 0 END,
                    CASE WHEN r.app_id > ? THEN 0 ELSE 1 END, r.app_id, r.id
                LIMIT 1 \(connection.dialect.skipLocked))
            UPDATE rehearsals SET status = 'running', lease_owner = ?, lease_until = ?, attempts = attempts + 1,
                started_at = ?, reached = 0, audience = 0
            WHERE id IN (SELECT id FROM due) RETURNING \(RehearsalRow.columns)
            """,
            [.date(now), .date(now), .integer(last), .text(owner), .date(lease), .date(now)], RehearsalRow.init
        ).first
    }

    /// When the next rehearsal may be leased: immediately if one waits, otherwise when a lease ends; nil if none is
    /// open.
    package func nextDue() throws -> Date? {
        try connection.first(
            """
            SELECT min(CASE WHEN status = 'waiting' THEN 0 ELSE coalesce(lease_until, 0) END) FROM rehearsals
            WHERE ended_at IS NULL
            """,
            []
        ) { $0.optionalDate(0) } ?? nil
    }

    /// Renews the owner's leases of these rehearsals.
    package func renew(_ ids: [Int64], owner: String, until lease: Date) throws {
        try connection.executeEach(
            "UPDATE rehearsals SET lease_until = ? WHERE id = ? AND lease_owner = ? AND ended_at IS NULL",
            ids.map { [.date(lease), .integer($0), .text(owner)] }
        )
    }

    /// Ends every lease, when the only process of a store starts and all holders are dead.
    package func endLeases() throws {
        try connection.execute("UPDATE rehearsals SET lease_until = 0 WHERE ended_at IS NULL AND lease_until > 0")
    }

    /// Begins a rehearsal and stores its subject. Results of an earlier attempt are deleted.
    ///
    /// - Returns: false when the owner no longer holds the lease; then nothing changes.
    package func begin(
        _ id: Int64, owner: String, version: String, launchAt: Date, lastDevice: Int64
    ) throws -> Bool {
        let changed = try connection.execute(
            """
            UPDATE rehearsals SET version = ?, launch_at = ?, last_device = ?
            WHERE id = ? AND lease_owner = ? AND status = 'running'
            """,
            [.text(version), .date(launchAt), .integer(lastDevice), .integer(id), .text(owner)]
        )
        guard changed > 0 else { return false }
        try connection.execute("DELETE FROM rehearsal_pages WHERE rehearsal_id = ?", [.integer(id)])
        return true
    }

    /// Stores the progress of a rehearsal.
    ///
    /// - Returns: whether it continues: it was not cancelled, and the owner still holds the lease.
    package func advance(
        _ id: Int64, owner: String, pages: [PackedRehearsalPage], reached: Int64, audience: Int
    ) throws -> Bool {
        let changed = try connection.execute(
            """
            UPDATE rehearsals SET reached = ?, audience = ? WHERE id = ? AND lease_owner = ? AND status = 'running'
            """,
            [.integer(reached), .integer(audience), .integer(id), .text(owner)]
        )
        guard changed > 0 else { return false }
        try insert(pages, of: id)
        return true
    }

    /// Ends a rehearsal that is complete or has failed.
    ///
    /// - Parameter problem: why it failed, in a sentence.
    package func end(
        _ id: Int64, owner: String, as status: RehearsalStatus, figures: RehearsalFigures?, problem: String?, now: Date
    ) throws {
        try connection.execute(
            """
            UPDATE rehearsals SET status = ?, figures = ?, problem = ?, ended_at = ?, lease_owner = NULL,
                lease_until = NULL
            WHERE id = ? AND lease_owner = ? AND status = 'running'
            """,
            [
                .text(status.rawValue), .optional(try figures.map { try JSONText.encode($0) }), .optional(problem),
                .date(now), .integer(id), .text(owner),
            ]
        )
    }

    /// Releases a rehearsal because its worker stops; this does not count as a failed attempt.
    package func giveBack(_ id: Int64, owner: String) throws {
        try connection.execute(
            """
            UPDATE rehearsals SET status = 'waiting', attempts = attempts - 1, lease_owner = NULL, lease_until = NULL
            WHERE id = ? AND lease_owner = ? AND status = 'running'
            """,
            [.integer(id), .text(owner)]
        )
    }

    /// Cancels a rehearsal at a user's request; one that has ended stays unchanged.
    package func cancel(_ id: Int64, now: Date) throws {
        let changed = try connection.execute(
            """
            UPDATE rehearsals SET status = 'cancelled', ended_at = ?, lease_owner = NULL, lease_until = NULL
            WHERE id = ? AND ended_at IS NULL
            """,
            [.date(now), .integer(id)]
        )
        guard changed > 0 else { return }
        try connection.execute("DELETE FROM rehearsal_pages WHERE rehearsal_id = ?", [.integer(id)])
    }

    /// How many of a campaign's newest decisions keep their rehearsals.
    package static let decisionsKept = 20

    /// Keeps the newest ended rehearsals of a campaign and those to which an approval refers, and deletes the others.
    package func prune(_ campaign: CampaignID, keeping count: Int) throws {
        let old = try connection.query(
            """
            SELECT id FROM rehearsals WHERE campaign_id = ? AND ended_at IS NOT NULL AND id NOT IN (
                SELECT rehearsal_id FROM (SELECT rehearsal_id FROM campaign_approvals
                    WHERE campaign_id = ? ORDER BY id DESC LIMIT ?) decisions
                WHERE rehearsal_id IS NOT NULL)
            ORDER BY id DESC LIMIT ? OFFSET ?
            """,
            [
                .integer(campaign.number), .integer(campaign.number), .integer(Self.decisionsKept),
                .integer(Int64(Int32.max)), .integer(count),
            ]
        ) { $0.integer(0) }
        for id in old { try delete(id) }
    }

    /// Deletes all rehearsals of a campaign.
    package func deleteAll(of campaign: CampaignID) throws {
        for row in try list(of: campaign, limit: Int(Int32.max)) { try delete(row.id) }
    }

    private func delete(_ id: Int64) throws {
        try connection.execute("DELETE FROM rehearsal_pages WHERE rehearsal_id = ?", [.integer(id)])
        try connection.execute("DELETE FROM rehearsals WHERE id = ?", [.integer(id)])
    }

    package func save(comparison: String, of id: Int64) throws {
        try connection.execute(
            "UPDATE rehearsals SET comparison = ? WHERE id = ? AND status = 'done'",
            [.text(comparison), .integer(id)]
        )
    }
}

extension SQLConnection {
    package var rehearsals: RehearsalRepository { RehearsalRepository(connection: self) }
}
