import BelfryStore
import Dispatch
import Foundation

/// A place for one connection: the thread that waits for it, and how it comes back after the server was gone.
// The link is touched on the queue only.
final class PostgresLine: @unchecked Sendable {
    /// How the server goes about the statements of a connection.
    enum Planning {
        /// As it likes.
        case each
        /// Each finds its rows by an index that was made for it, whatever its arguments and however few rows there are.
        /// So it is planned once, and tables are not read as a whole: what they were when they were last looked at says
        /// nothing of a campaign that has just begun, and a transaction that has read a table as a whole stands in the
        /// way of whoever writes there.
        case byIndexes
    }

    let queue: DispatchQueue
    /// Has a value on the queue alone.
    private let isHere = DispatchSpecificKey<Bool>()
    private let settings: PostgresSettings
    /// Milliseconds that its transactions wait for a lock.
    private let lockTimeout: Int
    private let needsPrimary: Bool
    private let planning: Planning
    private var link: PostgresLink?
    private var isClosed = false

    /// - Parameter needsPrimary: whether a standby is no server for it, not even to read: what it has may be older than
    ///   what was acknowledged.
    init(
        _ name: String, _ settings: PostgresSettings, planning: Planning = .each,
        lockTimeout: Int = patientLockTimeout, needsPrimary: Bool = false
    ) {
        queue = DispatchQueue(label: "belfry.postgres.\(name)")
        queue.setSpecific(key: isHere, value: true)
        self.settings = settings
        self.planning = planning
        self.lockTimeout = lockTimeout
        self.needsPrimary = needsPrimary
    }

    /// The connection, made when there is none. While the server is gone this fails at once, but for a try now and then.
    func ready() throws -> PostgresLink {
        guard !isClosed else { throw PostgresError.closed }
        if let link, link.isOpen, !link.isLeft { return link }
        link = nil
        let attempt = try settings.reach.begin(at: settings.now(), jitter: settings.jitter())
        do {
            let opened = try open(askingFirst: attempt.first)
            link = opened
            return opened
        } catch let error as PostgresError {
            settings.reach.failed(attempt, error, at: settings.now(), jitter: settings.jitter())
            throw error
        }
    }

    private func open(askingFirst first: Int) throws -> PostgresLink {
        let address = settings.address.settings
        let opened = try PostgresLink(
            address, asking: PostgresHosts(address).order(from: first), counting: settings.roundTrips,
            onStatement: settings.onStatement
        )
        let place = opened.place(in: address)
        func server(_ mark: String) -> PostgresWatch.Server {
            PostgresWatch.Server(place: place, mark: mark, address: opened.address)
        }
        opened.watch(by: settings.watch, as: server(""))
        let said = try opened.command(
            """
            \(Self.session); \(planning.session) SET lock_timeout = \(lockTimeout);
            SET statement_timeout = \(settings.statementTimeout);
            SET idle_in_transaction_session_timeout = \(settings.statementTimeout);
            \(PostgresLink.mark)
            """
        )
        let own = try said.elements({ server($0.text(0)) }).first
        guard own != nil || !needsPrimary else { throw PostgresError.standby }
        // Another server leads than a standby, however soon it answers.
        opened.watch(by: settings.watch, as: own)
        if let own { settings.watch.answered(own) }
        settings.reach.succeeded(at: place)
        return opened
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
            if let error = error as? PostgresError, error.isReadOnly { leave(link, because: error) }
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

    /// The server has become one that takes no writes: the next use looks for the one that does.
    private func leave(_ link: PostgresLink, because error: PostgresError) {
        let place = link.place(in: settings.address.settings)
        settings.reach.turnedAway(error, by: place, at: settings.now(), jitter: settings.jitter())
        self.link = nil
    }

    /// Ends the connection; the next use makes another one. On its thread.
    func leave() {
        link = nil
    }

    /// Ends it after what is under way. On its own thread, which cannot wait for itself, it ends at once: what a write has
    /// held may go there, and the database with it.
    func close() {
        guard DispatchQueue.getSpecific(key: isHere) == nil else { return end() }
        queue.sync { end() }
    }

    private func end() {
        link = nil
        isClosed = true
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

extension PostgresLine.Planning {
    /// Where a table has no index for a statement it is still read, and counted as so dear that the server would
    /// compile the plan each time, which takes longer than anything here.
    fileprivate var session: SQLText {
        switch self {
        case .each: ""
        case .byIndexes: "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off;"
        }
    }
}
