import BelfryModel
import BelfryServerModel
import Foundation

/// Work on a campaign's ledger that goes on step by step.
package enum CampaignWalk: Hashable, Sendable {
    /// The audience of a campaign that is sent is written into the ledger.
    case planning
    /// The same of one that devices download; it may be walked anew.
    case planningInApp
    /// What the ledger has pending is ended, of one that devices download and that is over.
    case closing

    fileprivate var condition: SQLText {
        switch self {
        case .planning: "planned = 0 AND launched_at IS NOT NULL AND kind <> 'inApp'"
        case .planningInApp: "planned = 0 AND launched_at IS NOT NULL AND kind = 'inApp'"
        case .closing: "closed_to IS NOT NULL AND planned = 1"
        }
    }

    fileprivate var progress: SQLText { self == .closing ? "closed_to" : "planned_to" }

    /// That the work on a campaign is neither set aside, nor in another process's hands, nor resting after a failure
    /// (SEC-8): just what ``WorkAttempt/isClosed(to:at:)`` says, lest somebody looks again and again for what he may not
    /// begin.
    static func mayGoOn(_ id: SQLText) -> SQLText {
        """
        \(id) NOT IN (SELECT subject FROM work_attempts WHERE kind = 'plan'
            AND (status = 'quarantined' OR lease_until > ? AND lease_until <= ? AND coalesce(owner, '') <> ?))
        """
    }

    /// The arguments of that.
    static func arguments(by owner: String, now: Date) -> [SQLValue] {
        [.date(now), .date(now.addingTimeInterval(WorkAttempt.longestLease)), .text(owner)]
    }
}

extension CampaignRepository {
    /// The campaign that such a walk goes on with: the one that has come least far, so that a huge one holds up no small
    /// one. Those are left out that are set aside, or that another process is at.
    ///
    /// - Parameter owner: who asks.
    package func next(_ walk: CampaignWalk, by owner: String, now: Date) throws -> Int64? {
        try connection.first(
            """
            SELECT id FROM campaigns WHERE \(walk.condition) AND \(CampaignWalk.mayGoOn("id"))
            ORDER BY \(walk.progress), id LIMIT 1
            """,
            CampaignWalk.arguments(by: owner, now: now)
        ) { $0.integer(0) }
    }

    /// The scheduled campaigns whose time has come, and that the owner may begin.
    package func due(for owner: String, now: Date) throws -> [Int64] {
        try connection.query(
            """
            SELECT id FROM campaigns WHERE status = 'scheduled' AND scheduled_at <= ? AND \(CampaignWalk.mayGoOn("id"))
            ORDER BY scheduled_at, id
            """,
            [.date(now)] + CampaignWalk.arguments(by: owner, now: now)
        ) { $0.integer(0) }
    }

    /// When the next scheduled campaign begins that the owner may begin. Those that he may not are looked at again now and
    /// then.
    package func nextScheduled(for owner: String, now: Date) throws -> Date? {
        try connection.first(
            "SELECT min(scheduled_at) FROM campaigns WHERE status = 'scheduled' AND \(CampaignWalk.mayGoOn("id"))",
            CampaignWalk.arguments(by: owner, now: now)
        ) { $0.optionalDate(0) } ?? nil
    }

    /// Locks a campaign until the end of the transaction.
    ///
    /// - Returns: false when the walk has nothing to do there any more, or somebody else is at it.
    package func take(_ id: Int64, for walk: CampaignWalk) throws -> Bool {
        try connection.first(
            "SELECT id FROM campaigns WHERE id = ? AND \(walk.condition) \(connection.dialect.skipLocked)",
            [.integer(id)]
        ) { _ in true } ?? false
    }

    /// Says why a sending campaign does not come to its end; nil when it does again.
    package func note(_ reason: String?, of id: CampaignID) throws {
        try connection.execute(
            "UPDATE campaigns SET status_reason = ? WHERE id = ? AND status = 'sending'",
            [.optional(reason.map { StatusReason($0).stored }), .integer(id.number)]
        )
    }
}
