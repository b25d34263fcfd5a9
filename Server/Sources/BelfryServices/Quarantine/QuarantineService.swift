import BelfryModel
import BelfryStore
import Foundation

/// A quarantined subject, as operators see it.
package struct QuarantinedWork: Hashable, Sendable {
    package let subject: WorkSubject
    /// The app. Nil if the work belongs to none.
    package let app: AppCode?
    package let attempts: Int
    package let reason: String
    package let since: Date

    /// Its name for operators.
    package var name: String { subject.description }
    package var kind: String { subject.kind.rawValue }
    /// The campaign of a batch, a plan or a recall.
    package var campaign: CampaignID? { subject.campaign }
    /// All kinds of work.
    package static var kinds: [String] { WorkKind.allCases.map(\.rawValue) }
}

/// Quarantined work, and what operators can do: retry or drop it.
package struct QuarantineService: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment
    let signals: ServiceSignals
    /// Traces of the deliveries that it ends. Nil when nobody collects them.
    let traces: TraceLog?

    package init(
        database: any SQLDatabase, environment: ServerEnvironment, signals: ServiceSignals, traces: TraceLog? = nil
    ) {
        self.database = database
        self.environment = environment
        self.signals = signals
        self.traces = traces
    }

    /// Lists quarantined work, newest first, with the cursor of the next page.
    ///
    /// - Parameter app: nil for all work, including work without an app.
    package func list(
        app: Int64?, before cursor: Int64?, limit: Int
    ) async throws -> (work: [QuarantinedWork], next: Int64?) {
        try await database.read { connection in
            let found = try connection.workAttempts.quarantined(app: app, before: cursor, limit: limit + 1)
            let codes = try connection.apps.all().reduce(into: [Int64: AppCode]()) { $0[$1.id] = $1.code }
            let (shown, next) = found.cut(to: limit) { $0.id }
            let work = shown.map { attempt in QuarantinedWork(attempt, app: attempt.app.flatMap { codes[$0] }) }
            return (work, next)
        }
    }

    /// One piece of quarantined work, of any app.
    package func find(_ id: String) async throws -> QuarantinedWork {
        try await database.read { connection in
            guard let subject = WorkSubject(id), let attempt = try connection.workAttempts.find(subject),
                attempt.status == .quarantined
            else { throw ServiceError.notFound(what: "work in quarantine", id: String(id.prefix(64))) }
            return QuarantinedWork(
                subject: subject, app: try attempt.app.flatMap { try connection.apps.find(id: $0)?.code },
                attempts: attempt.attempts, reason: attempt.reason ?? "No reason is recorded.", since: attempt.since
            )
        }
    }

    /// The result of a retry.
    package enum Retry: Hashable, Sendable {
        /// The work waits for its turn.
        case waits(QuarantinedWork)
        /// The work failed again, and is in quarantine with the new reason.
        case quarantined(QuarantinedWork)

        package var work: QuarantinedWork {
            switch self {
            case .waits(let work), .quarantined(let work): work
            }
        }
    }

    /// Puts work back into its queue, to be processed alone; its attempts are counted from zero.
    ///
    /// - Parameter app: only work of this app is found; nil for all work.
    package func retry(_ id: String, app: Int64?) async throws -> Retry {
        try await countRetry(id, app: app)
        let work: QuarantinedWork
        do {
            work = try await change(id, app: app) { release, attempt in
                try release.retry(attempt.subject)
                return []
            }
        } catch let error where error.meansUnreadable {
            // The retry has changed nothing.
            return .quarantined(
                try await change(id, app: app) { release, attempt in
                    let failed = QuarantinedSubject(
                        subject: attempt.subject, attempts: attempt.attempts, error: "\(LoggedError(error))"
                    )
                    try AttemptLog(connection: release.connection, now: release.now)
                        .quarantine(failed, app: attempt.app)
                    return []
                }
            )
        }
        signals.registrations.announce()
        signals.campaigns.announce()
        signals.silentPushes.announce()
        return .waits(work)
    }

    /// Continuing a plan reads its campaign, which may crash the process. So this counts as an attempt beforehand, and
    /// the plan stays in quarantine meanwhile. Other work is not read before its turn.
    private func countRetry(_ id: String, app: Int64?) async throws {
        guard WorkSubject(id)?.kind == .plan else { return }
        _ = try await change(id, app: app) { release, attempt in
            try release.connection.workAttempts.save(
                WorkAttempt(
                    subject: attempt.subject, app: attempt.app, status: .quarantined, attempts: attempt.attempts + 1,
                    leaseUntil: attempt.leaseUntil, reason: attempt.reason, since: attempt.since,
                    reached: attempt.reached
                )
            )
            return []
        }
    }

    /// Drops work for good: pending deliveries end as rejected, a campaign is cancelled, a silent push is not sent, a
    /// review of attributes skips its present page. A registration stays rejected, as its receipt says.
    package func drop(_ id: String, app: Int64?) async throws -> QuarantinedWork {
        let work = try await change(id, app: app) { release, attempt in try release.drop(attempt.subject) }
        signals.campaigns.announce()
        signals.silentPushes.announce()
        return work
    }

    /// - Parameter body: returns the deliveries that it has ended.
    /// - Returns: the entry after the change. If it is gone, the entry from before.
    private func change(
        _ id: String, app: Int64?,
        _ body: @escaping @Sendable (QuarantineRelease, WorkAttempt) throws -> [EndedDeliveries]
    ) async throws -> QuarantinedWork {
        let (now, isTraced) = (environment.now(), traces != nil)
        let (work, ended) = try await database.write { connection -> (QuarantinedWork, [EndedDeliveries]) in
            guard let subject = WorkSubject(id), let attempt = try connection.workAttempts.find(subject),
                attempt.status == .quarantined, app == nil || attempt.app == app
            else { throw ServiceError.notFound(what: "work in quarantine", id: String(id.prefix(64))) }
            let ended = try body(QuarantineRelease(connection: connection, now: now, isTraced: isTraced), attempt)
            let quarantined = try connection.workAttempts.find(subject).flatMap { $0.status == .quarantined ? $0 : nil }
            let shown = quarantined ?? attempt
            let work = QuarantinedWork(
                subject: subject, app: try shown.app.flatMap { try connection.apps.find(id: $0)?.code },
                attempts: shown.attempts, reason: shown.reason ?? "No reason is recorded.", since: shown.since
            )
            return (work, ended)
        }
        traces?.record(ended)
        return work
    }
}

extension QuarantinedWork {
    init(_ attempt: WorkAttempt, app: AppCode?) {
        self.init(
            subject: attempt.subject, app: app, attempts: attempt.attempts,
            reason: attempt.reason ?? "No reason is recorded.", since: attempt.since
        )
    }
}

extension GaugeQuestion {
    /// The number of quarantined subjects, for all processes.
    package static func quarantine(in database: any SQLDatabase) -> GaugeQuestion {
        GaugeQuestion(name: "quarantine", failure: "the quarantine cannot be counted") {
            let counts = try await database.read { try $0.workAttempts.counts() }
            return WorkKind.allCases.reduce(into: [:]) { values, kind in
                values["belfry_quarantined{kind=\"\(kind.rawValue)\"}"] = counts[kind] ?? 0
            }
        }
    }
}
