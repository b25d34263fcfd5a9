import BelfryStore
import Foundation
import Logging
import Synchronization

/// Counts this process's attempts at work that may crash it, durably and before each begins (SEC-8). All workers of the
/// process share it.
package final class WorkAttempts: Sendable {
    /// How long a subject that is processed in steps counts as begun, in seconds: within this time its next
    /// steps are not counted again.
    private static let renewal: TimeInterval = 5
    /// How long a subject pauses after an attempt during which the database was damaged, in seconds. It may be the
    /// first in its queue and would delay the others.
    static let restAtDamage: TimeInterval = 30

    /// Identifies this process in the attempts that it has begun. No two processes share a name.
    package let owner: String
    private let database: any SQLDatabase
    private let environment: ServerEnvironment
    private let metrics: Metrics
    private let logger: Logger
    /// Subjects processed in steps, and when each was written as begun: for a while nothing needs to be written for it.
    private let inHand = Mutex<[WorkSubject: Date]>([:])

    package init(
        owner: String, database: any SQLDatabase, environment: ServerEnvironment, metrics: Metrics, logger: Logger
    ) {
        self.owner = owner
        self.database = database
        self.environment = environment
        self.metrics = metrics
        self.logger = logger
    }

    /// Begins a single subject.
    ///
    /// The write does not wait for the disk: the count must survive the death of this process, and nothing more.
    ///
    /// - Parameter lease: seconds during which no other process begins it.
    /// - Returns: false if it must not be processed now.
    func begin(_ subject: WorkSubject, lease: TimeInterval = AttemptRule.lease) async throws -> Bool {
        let start = try await database.write(turn: .unsynced) { [owner, environment] connection in
            // The lease begins when it is written, not when the writer was asked for its turn.
            try AttemptLog(connection: connection, now: environment.now()).begin(subject, owner: owner, lease: lease)
        }
        report([start])
        return start == .begun
    }

    /// Does one step of work that has many, such as the planning of a campaign. The step's transaction ends the subject
    /// or restarts its count, by ``WorkAttemptRepository/stepped(_:isDone:)``. That also counts the next step before it
    /// begins, so most steps need no write of their own.
    ///
    /// - Parameters:
    ///   - rest: seconds until the next attempt after a failure. With a damaged database it takes longer.
    ///   - isGivenBack: whether this process may not return to the subject before its lease ends. Then an attempt that
    ///     failed because the database was unavailable is given back, so that it does not count against the next
    ///     process.
    ///   - body: returns whether the subject is done with this step.
    /// - Returns: nil if it must not be processed now.
    func step<Output>(
        _ subject: WorkSubject, rest: TimeInterval = 0, isGivenBack: Bool = false,
        _ body: () async throws -> (isDone: Bool, output: Output)
    ) async throws -> Output? {
        let now = environment.now()
        let written = inHand.withLock { $0[subject] }
        if !(written.map { Self.isCurrent($0, at: now) } ?? false) {
            guard try await begin(subject) else { return nil }
            inHand.withLock { inHand in
                inHand = inHand.filter { Self.isCurrent($0.value, at: now) }
                inHand[subject] = now
            }
        }
        do {
            let step = try await body()
            if step.isDone { inHand.withLock { $0[subject] = nil } }
            return step.output
        } catch {
            inHand.withLock { $0[subject] = nil }
            if isGivenBack, error.meansTryAgain { await giveBack(subject) }
            await ended(subject, by: error, rest: error.meansDamage ? max(rest, Self.restAtDamage) : rest)
            throw error
        }
    }

    /// If the database cannot write that either, the attempt stays with this process.
    private func giveBack(_ subject: WorkSubject) async {
        try? await database.write(turn: .unsynced) { [owner] in try $0.workAttempts.giveBack(subject, of: owner) }
    }

    /// Whether the last write is recent, so that no new one is needed. A clock that was set back does not delay a
    /// write.
    private static func isCurrent(_ written: Date, at now: Date) -> Bool {
        abs(now.timeIntervalSince(written)) < renewal
    }

    /// Records that an attempt has ended with an error. An unavailable database or a stopping process proves nothing
    /// about the subject, and neither does a damaged database: the attempt has ended, and does not count. An unknown
    /// error does count, because the subject may have caused it.
    ///
    /// - Parameter rest: seconds until the next attempt.
    func ended(_ subject: WorkSubject, by error: any Error, rest: TimeInterval = 0) async {
        guard !(error is CancellationError), !error.meansTryAgain else { return }
        let next = environment.now().addingTimeInterval(rest)
        do {
            try await database.write(turn: .unsynced) {
                try $0.workAttempts.fail(
                    subject, because: "\(LoggedError(error))", until: next, isCounted: !error.meansDamage
                )
            }
        } catch {
            logger.failed("a failed attempt cannot be recorded", error, ["subject": "\(subject)"])
        }
    }

    /// Logs and counts the subjects that were quarantined.
    func report(_ starts: [AttemptStart]) {
        for case .quarantined(let work) in starts {
            logger.error(
                "work is in quarantine: see 'belfry quarantine list', then retry or drop it",
                metadata: [
                    "subject": "\(work.subject)", "attempts": "\(work.attempts)", "reason": "\(work.reason)",
                ]
            )
            metrics.add(1, to: "belfry_quarantined_total{kind=\"\(work.subject.kind.rawValue)\"}")
        }
    }
}
