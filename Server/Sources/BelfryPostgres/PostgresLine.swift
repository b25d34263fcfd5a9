import BelfryStore
import Dispatch
import Foundation

/// A slot for one connection: the thread that uses it, and how it reconnects after the server was gone.
// The link is touched on the queue only.
final class PostgresLine: @unchecked Sendable {
    /// How the server plans the statements of a connection.
    enum Planning {
        /// The server plans as it chooses.
        case each
        /// Each statement uses an index that was made for it, whatever its arguments and however few rows there are. So
        /// it is planned once, and no table is read as a whole. The last statistics say nothing about a campaign that
        /// has just begun, and a transaction that reads a whole table conflicts with every writer of it.
        case byIndexes
    }

    let queue: DispatchQueue
    /// Marks the queue, to tell whether code runs on it.
    private let isHere = DispatchSpecificKey<Bool>()
    private let settings: PostgresSettings
    /// How long its transactions wait for a lock, in milliseconds.
    private let lockTimeout: Int
    private let needsPrimary: Bool
    private let planning: Planning
    private var link: PostgresLink?
    private var isClosed = false

    /// - Parameter needsPrimary: whether a standby is refused, even for reads: its data may be older than what was
    ///   acknowledged.
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

    /// Returns the connection, opened if there is none. While the server is gone, this fails immediately, except for an
    /// occasional try.
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
            placement: settings.placement, onStatement: settings.onStatement
        )
        let place = opened.place(in: address)
        func server(_ mark: String) -> PostgresWatch.Server {
            PostgresWatch.Server(place: place, mark: mark, address: opened.address)
        }
        opened.watch(by: settings.watch, as: server(""))
        let said = try opened.command(
            """
            \(Self.session); \(planning.session(settings.placement)) SET lock_timeout = \(lockTimeout);
            SET statement_timeout = \(settings.statementTimeout);
            SET idle_in_transaction_session_timeout = \(settings.statementTimeout);
            \(settings.placement.isDistributed ? Self.passingOn : "")
            \(PostgresLink.mark)
            """
        )
        let own = try said.elements({ server($0.text(0)) }).first
        guard own != nil || !needsPrimary else { throw PostgresError.standby }
        // A standby is never the primary, however soon it responds.
        opened.watch(by: settings.watch, as: own)
        if let own { settings.watch.answered(own) }
        settings.reach.succeeded(at: place)
        return opened
    }

    /// Runs a body in a transaction. If the body throws, all its changes are undone.
    ///
    /// - Parameter settings: statements whose settings hold until the transaction ends.
    func transaction<Output>(
        _ mode: SQLText, _ settings: [SQLText] = [], _ body: (PostgresLink) throws -> Output
    ) throws -> Output {
        try transaction(mode, settings, body) { try $0.commit() }
    }

    /// Runs a body that only reads, in one snapshot of what is committed.
    func reading<Output>(_ body: (PostgresLink) throws -> Output) throws -> Output {
        try transaction("ISOLATION LEVEL REPEATABLE READ READ ONLY", [], body) { try $0.endReading() }
    }

    private func transaction<Output>(
        _ mode: SQLText, _ settings: [SQLText], _ body: (PostgresLink) throws -> Output,
        end: (PostgresLink) throws -> Void
    ) throws -> Output {
        let link = try ready()
        do {
            link.begin(mode, passedOn + settings)
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

    /// What each transaction says again where several servers hold the database together: of a session's settings only the
    /// one hears that programs speak to.
    private var passedOn: [SQLText] {
        guard settings.placement.isDistributed else { return [] }
        return ["SET LOCAL lock_timeout = \(lockTimeout)"] + planning.passedOn
    }

    /// Runs a body while no other write of this deployment holds one of these contacts. What it reads in a transaction of
    /// its own is what their former holders have left.
    func holding<Output>(_ contacts: Set<Int64>, _ body: () throws -> Output) throws -> Output {
        guard !contacts.isEmpty else { return try body() }
        let link = try ready()
        defer { giveBack(link) }
        try link.hold(contacts)
        return try body()
    }

    private func giveBack(_ link: PostgresLink) {
        let isDone = (try? link.giveBack()) != nil
        // One that cannot be used any more may still be open to the server. With the connection the locks are gone as well.
        if !(isDone && link.isOpen), self.link === link { self.link = nil }
    }

    /// Runs a body while no other process of this deployment runs one so.
    func inTurn<Output>(_ body: () throws -> Output) throws -> Output {
        let link = try ready()
        // The process that holds the turn waits for others, but they do not wait for it, so it need not hurry.
        defer {
            // If the connection is gone, the server has already released the lock.
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

    /// Leaves a server that no longer takes writes; the next use looks for the primary.
    private func leave(_ link: PostgresLink, because error: PostgresError) {
        let place = link.place(in: settings.address.settings)
        settings.reach.turnedAway(error, by: place, at: settings.now(), jitter: settings.jitter())
        self.link = nil
    }

    /// Closes the connection; the next use opens another one. Call it on the line's thread.
    func leave() {
        link = nil
    }

    /// Closes the connection after the work under way. Called on its own thread, which cannot wait for itself, it
    /// closes immediately: the last reference to the database may be released there.
    func close() {
        guard DispatchQueue.getSpecific(key: isHere) == nil else { return end() }
        queue.sync { end() }
    }

    private func end() {
        link = nil
        isClosed = true
    }

    /// The lock time-out of patient transactions, in milliseconds.
    static let patientLockTimeout = 10_000

    /// The other servers are told what a transaction sets until its end.
    private static let passingOn: SQLText = "SET citus.propagate_set_commands = 'local';"

    /// What every connection says first. A database that answers before a commit is durable is told not to.
    private static let session: SQLText = """
        SET standard_conforming_strings = on;
        SET client_min_messages = warning;
        SET extra_float_digits = 1;
        SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
        """
}

extension PostgresLine.Planning {
    /// If a table has no index for a statement, the server still reads the whole table, but estimates a cost so high
    /// that it would compile the plan (JIT) each time. That takes longer than any statement here.
    ///
    /// Where several servers hold the database together, the values of a statement say which of them are asked. So they
    /// are known when it is planned: Citus refuses most statements that are planned without.
    fileprivate func session(_ placement: PostgresPlacement) -> SQLText {
        switch self {
        case .each: ""
        case .byIndexes:
            placement.isDistributed ? Self.indexes : "SET plan_cache_mode = force_generic_plan; \(Self.indexes)"
        }
    }

    private static let indexes: SQLText = "SET enable_seqscan = off; SET jit = off;"

    /// What the other servers have to know of it. They keep no plans.
    fileprivate var passedOn: [SQLText] {
        switch self {
        case .each: []
        case .byIndexes: ["SET LOCAL enable_seqscan = off", "SET LOCAL jit = off"]
        }
    }
}
