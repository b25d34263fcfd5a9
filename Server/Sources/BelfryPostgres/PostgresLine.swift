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
    private var link: PostgresLink?
    private var failures = 0
    private var notBefore = Date.distantPast
    private var lastFailure = PostgresError.closed
    private var isClosed = false

    init(_ name: String, _ settings: PostgresSettings) {
        queue = DispatchQueue(label: "belfry.postgres.\(name)")
        self.settings = settings
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
            let opened = try PostgresLink(settings.address.settings)
            try opened.command(Self.session)
            link = opened
            failures = 0
            return opened
        } catch let error as PostgresError {
            let rest = min(Self.firstDelay * pow(2, Double(min(failures, 10))), Self.longestDelay)
            failures += 1
            notBefore = settings.now().addingTimeInterval(rest * (0.5 + settings.jitter() / 2))
            lastFailure = error
            throw error
        }
    }

    /// Runs a body in a transaction. Whatever it throws, nothing of it is left.
    func transaction<Output>(_ mode: SQLText, _ body: (PostgresLink) throws -> Output) throws -> Output {
        let link = try ready()
        do {
            try link.begin(mode)
            let output = try body(link)
            try link.commit()
            return output
        } catch {
            link.rollBack()
            if !link.isOpen { self.link = nil }
            throw error
        }
    }

    /// Runs a body while no other process of the database runs one so.
    func inTurn<Output>(_ body: () throws -> Output) throws -> Output {
        let link = try ready()
        try link.command("SELECT pg_advisory_lock(\(Self.turn))")
        // A connection that is gone has given it back.
        defer { if link.isOpen { _ = try? link.command("SELECT pg_advisory_unlock(\(Self.turn))") } }
        return try body()
    }

    /// Belfry's own number for the turn, as good as any.
    private static let turn: Int64 = 0x62_656c_6672_7902

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

    /// What every connection says first. A database that answers before a commit is durable is told not to.
    private static let session: SQLText = """
        SET standard_conforming_strings = on;
        SET client_min_messages = warning;
        SET statement_timeout = '60s';
        SET lock_timeout = '10s';
        SET idle_in_transaction_session_timeout = '60s';
        SET extra_float_digits = 1;
        SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
        """
}
