import BelfryStore
import Dispatch
import Foundation

/// A place for one connection: the thread that waits for it, and how it comes back after the server was gone.
// The link and its failures are touched on the queue only.
final class PostgresLine: @unchecked Sendable {
    /// Seconds between tries to reach a server that is gone: the first, and the most.
    private static let firstDelay = 0.1
    private static let longestDelay = 5.0

    let queue: DispatchQueue
    private let settings: PostgresSettings
    /// Milliseconds that its transactions wait for a lock.
    private let lockTimeout: Int
    private var link: PostgresLink?
    private var failures = 0
    private var notBefore = Date.distantPast
    private var lastFailure = PostgresError.closed
    private var isClosed = false

    init(_ name: String, _ settings: PostgresSettings, lockTimeout: Int = patientLockTimeout) {
        queue = DispatchQueue(label: "belfry.postgres.\(name)")
        self.settings = settings
        self.lockTimeout = lockTimeout
    }

    /// The connection, made when there is none. While the server is gone this fails at once, but for a try now and then.
    func ready() throws -> PostgresLink {
        guard !isClosed else { throw PostgresError.closed }
        if let link, link.isOpen { return link }
        link = nil
        let now = settings.now()
        // A clock that was set back would keep us waiting.
        guard now >= notBefore || notBefore.timeIntervalSince(now) > Self.longestDelay else { throw lastFailure }
        do {
            let opened = try PostgresLink(settings.address.settings, counting: settings.roundTrips)
            try opened.command(
                """
                \(Self.session); SET lock_timeout = \(lockTimeout);
                SET statement_timeout = \(settings.statementTimeout);
                SET idle_in_transaction_session_timeout = \(settings.statementTimeout)
                """
            )
            link = opened
            failures = 0
            return opened
        } catch let error as PostgresError {
            let pause = Self.pause(after: failures, jitter: settings.jitter())
            failures += 1
            notBefore = settings.now().addingTimeInterval(pause)
            lastFailure = error
            throw error
        }
    }

    /// Seconds until a server that is gone is asked again.
    ///
    /// - Parameter failures: how often it was asked before this time, without an answer.
    static func pause(after failures: Int, jitter: Double) -> Double {
        min(firstDelay * pow(2, Double(min(failures, 10))), longestDelay) * (0.5 + jitter / 2)
    }

    /// Runs a body in a transaction. Whatever it throws, nothing of it is left.
    ///
    /// - Parameter settings: statements that set something until its end.
    func transaction<Output>(
        _ mode: SQLText, _ settings: [SQLText] = [], _ body: (PostgresLink) throws -> Output
    ) throws -> Output {
        try transaction(mode, settings, body) { try $0.commit() }
    }

    /// Runs a body that only reads, with one view of what is committed.
    func reading<Output>(_ body: (PostgresLink) throws -> Output) throws -> Output {
        try transaction("ISOLATION LEVEL REPEATABLE READ READ ONLY", [], body) { try $0.endReading() }
    }

    private func transaction<Output>(
        _ mode: SQLText, _ settings: [SQLText], _ body: (PostgresLink) throws -> Output,
        end: (PostgresLink) throws -> Void
    ) throws -> Output {
        let link = try ready()
        do {
            link.begin(mode, settings)
            let output = try body(link)
            try end(link)
            return output
        } catch {
            link.rollBack()
            if !link.isOpen { self.link = nil }
            throw error
        }
    }

    /// Runs a body while no other process of this deployment runs one so.
    func inTurn<Output>(_ body: () throws -> Output) throws -> Output {
        let link = try ready()
        // Whose turn it is waits for others, and not for it: there is time.
        defer {
            // A connection that is gone has given it back.
            if link.isOpen {
                _ = try? link.command(
                    "SET lock_timeout = \(lockTimeout); SELECT pg_advisory_unlock(\(Self.turn))"
                )
            }
        }
        try link.command("SET lock_timeout = \(Self.patientLockTimeout)")
        try link.command("SELECT pg_advisory_lock(\(Self.turn))")
        return try body()
    }

    private static let turn: SQLText = "hashtext('belfry turn'), hashtext(current_schema())"

    /// Ends the connection; the next use makes another one. On its thread.
    func leave() {
        link = nil
    }

    /// Ends it after what is under way.
    func close() {
        queue.sync {
            link = nil
            isClosed = true
        }
    }

    /// Milliseconds.
    static let patientLockTimeout = 10_000

    /// What every connection says first. A database that answers before a commit is durable is told not to.
    private static let session: SQLText = """
        SET standard_conforming_strings = on;
        SET client_min_messages = warning;
        SET extra_float_digits = 1;
        SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
        """
}
