import BelfryModel
import BelfryServerModel
import Foundation

/// The length of a queue: how many entries it has, counted up to a limit, and since when the oldest waits.
package struct QueueLength: Hashable, Sendable {
    package let count: Int
    package let oldest: Date?

    package init(count: Int, oldest: Date?) {
        self.count = count
        self.oldest = oldest
    }
}

/// A campaign that the server has paused, and why.
package struct HaltedCampaign: Hashable, Sendable {
    package let id: CampaignID
    package let app: String
    package let name: String
    package let reason: String
}

/// How many devices of an app a push service has refused because of the app's credentials, counted up to a limit.
package struct RejectedSender: Hashable, Sendable {
    package let app: String
    package let devices: Int
}

/// Figures for operators: how much waits, and what has stopped. No query scans a table of unbounded size.
package struct QueueRepository {
    /// The limit up to which entries are counted.
    package static let maximumCount = 10_000
    /// How many of the newest campaigns are checked for a pause by the server.
    private static let newestCampaigns = 5_000
    private static let maximumApps = 200

    let connection: any SQLConnection

    /// Received registrations that are not processed yet.
    package func registrations() throws -> QueueLength {
        try length(
            """
            SELECT count(*), min(received_at) FROM (
                SELECT received_at FROM registrations WHERE status = 'received' ORDER BY id LIMIT ?) waiting
            """,
            [.integer(Self.maximumCount)]
        )
    }

    /// Due batches of campaigns that are being sent.
    package func batches(now: Date) throws -> QueueLength {
        try length(
            """
            SELECT count(*), min(at) FROM (
                SELECT abs(b.available_at) AS at FROM batches b JOIN campaigns c ON c.id = b.campaign_id
                WHERE c.status = 'sending' AND b.quarantined = 0 AND b.available_at <= ? LIMIT ?) waiting
            """,
            [.date(now), .integer(Self.maximumCount)]
        )
    }

    /// Launched campaigns whose audience is not completely selected.
    package func plans() throws -> QueueLength {
        try length(
            """
            SELECT count(*), min(launched_at) FROM (
                SELECT launched_at FROM campaigns WHERE planned = 0 AND launched_at IS NOT NULL LIMIT ?) waiting
            """,
            [.integer(Self.maximumCount)]
        )
    }

    /// Silent pushes that are due.
    package func silentPushes(now: Date) throws -> QueueLength {
        let count = try length(
            """
            SELECT count(*), NULL FROM (
                SELECT 1 FROM silent_pushes WHERE due_at IS NOT NULL AND due_at <= ? LIMIT ?) waiting
            """,
            [.date(now), .integer(Self.maximumCount)]
        ).count
        let oldest = count == 0 ? nil : try connection.silentPushes.nextDue(includesLeased: false).values.min()
        return QueueLength(count: count, oldest: oldest.flatMap { $0 <= now ? $0 : nil })
    }

    /// Erasures that have begun and not ended.
    package func erasures() throws -> QueueLength {
        try length(
            """
            SELECT count(*), min(started_at) FROM (
                SELECT started_at FROM erasures WHERE ended_at IS NULL LIMIT ?) waiting
            """,
            [.integer(Self.maximumCount)]
        )
    }

    /// Requested rehearsals that no worker has begun.
    package func rehearsals() throws -> QueueLength {
        try length(
            """
            SELECT count(*), min(requested_at) FROM (
                SELECT requested_at FROM rehearsals WHERE ended_at IS NULL AND status = 'waiting' LIMIT ?) waiting
            """,
            [.integer(Self.maximumCount)]
        )
    }

    /// The columns of `campaigns c` and their `apps a`.
    private enum HaltedColumn: Int, ResultColumn {
        case id, app, name, reason

        var sql: SQLText {
            switch self {
            case .id: "c.id"
            case .app: "a.code"
            case .name: "c.name"
            case .reason: "c.status_reason"
            }
        }
    }

    /// The newest campaigns that the server, not a user, has paused, newest first.
    package func halted(limit: Int) throws -> [HaltedCampaign] {
        let paused = try connection.query(
            """
            SELECT \(HaltedColumn.selectList) FROM campaigns c JOIN apps a ON a.id = c.app_id
            WHERE c.status = 'paused' AND c.status_reason IS NOT NULL
                AND c.id > (SELECT coalesce(max(id), 0) FROM campaigns) - \(Self.newestCampaigns)
            ORDER BY c.id DESC
            """,
            []
        ) { row -> HaltedCampaign? in
            let row = ResultRow<HaltedColumn>(row)
            let reason = StatusReason(stored: row.text(.reason))
            guard reason.cause != .person, let id = CampaignID(row.integer(.id)) else { return nil }
            return HaltedCampaign(id: id, app: row.text(.app), name: row.text(.name), reason: reason.sentence)
        }
        return Array(paused.compactMap(\.self).prefix(limit))
    }

    /// Apps with devices that wait for correct credentials (REG-33). Each app has a query of its own, and all are sent
    /// together: several servers cannot share one query of the devices of many apps (FLEET-5).
    package func rejectedSenders() throws -> [RejectedSender] {
        let apps = try connection.query("SELECT id, code FROM apps ORDER BY id LIMIT \(Self.maximumApps)", []) {
            (id: $0.integer(0), code: $0.text(1))
        }
        let counts = try connection.queryTogether(
            apps.map {
                OptOutRepository.askForCount(of: .providerAuthentication, app: $0.id, limit: Self.maximumCount)
            }
        ) { Int($0.integer(0)) }
        return zip(apps, counts).map { app, found in RejectedSender(app: app.code, devices: found.first ?? 0) }
            .filter { $0.devices > 0 }
    }

    private func length(_ sql: SQLText, _ arguments: [SQLValue]) throws -> QueueLength {
        try connection.first(sql, arguments) {
            QueueLength(count: Int($0.integer(0)), oldest: $0.optionalDate(1))
        } ?? QueueLength(count: 0, oldest: nil)
    }
}

extension SQLConnection {
    package var queues: QueueRepository { QueueRepository(connection: self) }
}
