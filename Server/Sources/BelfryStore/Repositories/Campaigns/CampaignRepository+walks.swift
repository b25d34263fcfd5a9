import BelfryModel
import BelfryServerModel
import Foundation

/// Work on a campaign's ledger that is done step by step.
package enum CampaignWalk: Hashable, Sendable {
    /// The audience of a campaign that is sent is written to the ledger.
    case planning
    /// The audience of a campaign that devices download is written to the ledger; this may be repeated.
    case planningInApp
    /// The pending rows of a campaign that devices download are ended, because the campaign is over.
    case closing

    fileprivate var condition: SQLText {
        switch self {
        case .planning: "planned = 0 AND launched_at IS NOT NULL AND kind <> 'inApp'"
        case .planningInApp: "planned = 0 AND launched_at IS NOT NULL AND kind = 'inApp'"
        case .closing: "closed_to IS NOT NULL AND planned = 1"
        }
    }

    fileprivate var progress: SQLText { self == .closing ? "closed_to" : "planned_to" }

    /// The condition that the work on a campaign is neither in quarantine, nor done by another process, nor pausing
    /// after a failure (SEC-8). It must agree with ``WorkAttempt/isClosed(to:at:)``; otherwise a process would look
    /// again and again for work that it may not begin.
    static func mayGoOn(_ id: SQLText) -> SQLText {
        """
        \(id) NOT IN (SELECT subject FROM work_attempts WHERE kind = 'plan'
            AND (status = 'quarantined' OR lease_until > ? AND lease_until <= ? AND coalesce(owner, '') <> ?))
        """
    }

    /// The arguments of ``mayGoOn(_:)``.
    static func arguments(by owner: String, now: Date) -> [SQLValue] {
        [.date(now), .date(now.addingTimeInterval(WorkAttempt.longestLease)), .text(owner)]
    }
}

extension CampaignRepository {
    /// The campaign with which such a walk continues: the one that has made the least progress, so that a huge campaign
    /// does not delay a small one. Campaigns that are in quarantine, or on which another process works, are skipped.
    ///
    /// - Parameter owner: the process that asks.
    package func next(_ walk: CampaignWalk, by owner: String, now: Date) throws -> Int64? {
        try connection.first(
            """
            SELECT id FROM campaigns WHERE \(walk.condition) AND \(CampaignWalk.mayGoOn("id"))
            ORDER BY \(walk.progress), id LIMIT 1
            """,
            CampaignWalk.arguments(by: owner, now: now)
        ) { $0.integer(0) }
    }

    /// The scheduled campaigns whose start time has come, and that the owner may begin.
    package func due(for owner: String, now: Date) throws -> [Int64] {
        try connection.query(
            """
            SELECT id FROM campaigns WHERE status = 'scheduled' AND scheduled_at <= ? AND \(CampaignWalk.mayGoOn("id"))
            ORDER BY scheduled_at, id
            """,
            [.date(now)] + CampaignWalk.arguments(by: owner, now: now)
        ) { $0.integer(0) }
    }

    /// When the next scheduled campaign starts that the owner may begin. Others are checked again from time to time.
    package func nextScheduled(for owner: String, now: Date) throws -> Date? {
        try connection.first(
            "SELECT min(scheduled_at) FROM campaigns WHERE status = 'scheduled' AND \(CampaignWalk.mayGoOn("id"))",
            CampaignWalk.arguments(by: owner, now: now)
        ) { $0.optionalDate(0) } ?? nil
    }

    /// Locks a campaign until the end of the transaction.
    ///
    /// - Returns: false when the walk has nothing left to do there, or another process works on it.
    package func take(_ id: Int64, for walk: CampaignWalk) throws -> Bool {
        try connection.first(
            "SELECT id FROM campaigns WHERE id = ? AND \(walk.condition) \(connection.dialect.skipLocked)",
            [.integer(id)]
        ) { _ in true } ?? false
    }

    /// Records why a sending campaign cannot be finished; nil once it can.
    package func note(_ reason: String?, of id: CampaignID) throws {
        try connection.execute(
            "UPDATE campaigns SET status_reason = ? WHERE id = ? AND status = 'sending'",
            [.optional(reason.map { StatusReason($0).stored }), .integer(id.number)]
        )
    }
}
