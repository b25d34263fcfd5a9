import BelfryModel
import BelfryStore
import Foundation

/// What an operator sees of a subject that was set aside.
package struct QuarantinedWork: Hashable, Sendable {
    package let subject: WorkSubject
    /// Nil when it belongs to none.
    package let app: AppCode?
    package let attempts: Int
    package let reason: String
    package let since: Date

    /// As operators name it.
    package var name: String { subject.description }
    package var kind: String { subject.kind.rawValue }
    /// The campaign that it belongs to, of a batch or a plan.
    package var campaign: CampaignID? { subject.campaign }
    /// Every kind that there is.
    package static var kinds: [String] { WorkKind.allCases.map(\.rawValue) }
}

/// What is in quarantine, and what operators do about it: try it again, or give it up (SEC-8).
package struct QuarantineService: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment
    let bells: WorkBells

    package init(database: any SQLDatabase, environment: ServerEnvironment, bells: WorkBells) {
        self.database = database
        self.environment = environment
        self.bells = bells
    }

    /// The newest first, and where the list goes on.
    ///
    /// - Parameter app: nil for that of every app and of none.
    package func list(
        app: Int64?, before cursor: Int64?, limit: Int
    ) async throws -> (work: [QuarantinedWork], next: Int64?) {
        try await database.read { connection in
            // One more than is shown tells whether there is a next page.
            let found = try connection.workAttempts.quarantined(app: app, before: cursor, limit: limit + 1)
            let codes = try connection.apps.all().reduce(into: [Int64: AppCode]()) { $0[$1.id] = $1.code }
            let shown = found.prefix(limit).map { attempt in
                QuarantinedWork(
                    subject: attempt.subject, app: attempt.app.flatMap { codes[$0] }, attempts: attempt.attempts,
                    reason: attempt.reason ?? "No reason is recorded.", since: attempt.since
                )
            }
            return (shown, found.count > limit ? found[limit - 1].id : nil)
        }
    }

    /// Lets it be worked on again, alone and counted from the beginning.
    ///
    /// - Parameter app: what belongs to another, or to none, is not there; nil for everything.
    package func retry(_ id: String, app: Int64?) async throws -> QuarantinedWork {
        let work = try await change(id, app: app) { try $0.retry($1, now: $2) }
        bells.registrations.signal()
        bells.campaigns.signal()
        bells.silentPushes.signal()
        return work
    }

    /// Gives it up for good: pending messages end as rejected, a campaign is cancelled, a silent push is not sent. A
    /// registration stays refused, as its receipt says.
    package func drop(_ id: String, app: Int64?) async throws -> QuarantinedWork {
        let work = try await change(id, app: app) { try $0.drop($1, now: $2) }
        bells.campaigns.signal()
        bells.silentPushes.signal()
        return work
    }

    private func change(
        _ id: String, app: Int64?,
        _ body: @escaping @Sendable (any SQLConnection, WorkSubject, Date) throws -> Void
    ) async throws -> QuarantinedWork {
        let now = environment.now()
        return try await database.write { connection in
            guard let subject = WorkSubject(id), let attempt = try connection.workAttempts.find(subject),
                attempt.status == .quarantined, app == nil || attempt.app == app
            else { throw ServiceError.notFound(what: "work in quarantine", id: String(id.prefix(64))) }
            try body(connection, subject, now)
            return QuarantinedWork(
                subject: subject, app: try attempt.app.flatMap { try connection.apps.find(id: $0)?.code },
                attempts: attempt.attempts, reason: attempt.reason ?? "No reason is recorded.", since: attempt.since
            )
        }
    }
}
