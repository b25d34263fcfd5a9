import BelfryStore
import Dispatch
import Synchronization

/// The bell between the processes of one PostgreSQL database: `LISTEN` and `NOTIFY` on a connection of each process
/// that does nothing else (FLEET-1).
///
/// A ring is sent after the commit that it announces, not within it: a transaction with a `NOTIFY` holds a lock of the
/// whole server until its commit is on the disk, and all other such transactions wait for it.
// Its mutable state is touched on the line's queue only, except the waiting rings, which have a lock.
package final class PostgresBell: ProcessBell, @unchecked Sendable {
    /// The minimum time between two rings of this process.
    private static let rest = DispatchTimeInterval.milliseconds(20)
    /// Each process that is counted holds this lock, shared, as long as its connection lives, so the server itself
    /// knows which processes are alive. The second number is the schema's, to separate several deployments in one
    /// database.
    static let lock: SQLText = "hashtext('belfry process'), hashtext(current_schema())"
    /// Every process holds this one, shared, also one that is not counted, and from before it leaves the lock of the
    /// schema: so ``PostgresDistribution`` finds out whether somebody is at work on the database.
    static let presence: SQLText = "hashtext('belfry presence'), hashtext(current_schema())"
    /// If a machine vanishes, the server drops its connection within half a minute. The connection writes nothing, so
    /// its commits need not wait for the disk.
    private static let session: SQLText = """
        SET synchronous_commit = off; SET idle_session_timeout = 0; SET tcp_keepalives_idle = 15;
        SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; SET tcp_user_timeout = 30000
        """
    private static let counting: SQLText = """
        SELECT count(*) FROM pg_locks
        WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND classid::bigint = hashtext('belfry process')::bigint & 4294967295
            AND objid::bigint = hashtext(current_schema())::bigint & 4294967295 AND objsubid = 2 AND granted
        """

    /// A listening connection and its event source.
    // Touched on the line's queue only.
    private final class Listener: @unchecked Sendable {
        let link: PostgresLink
        let channel: SQLText
        var watch: DescriptorWatch?

        init(_ link: PostgresLink, channel: SQLText) {
            self.link = link
            self.channel = channel
        }
    }

    private let line: PostgresLine
    private let placement: PostgresPlacement
    private let jitter: @Sendable () -> Double
    private let waiting = Mutex(WaitingRings())
    /// The connection that has the lock of presence; the line keeps it.
    private weak var present: PostgresLink?
    private var listener: Listener?
    private var isCounted = false
    private var hear: (@Sendable (SharedWork) -> Void)?
    private var failures = 0
    private var isClosed = false

    package init(_ settings: PostgresSettings) {
        line = PostgresLine("bell", settings, needsPrimary: true)
        placement = settings.placement
        jitter = settings.jitter
    }

    /// Shows the others that this process is at work. If it fails, it is done when the bell is listened to.
    ///
    /// The caller has the lock of the schema and knows whether the database is distributed; neither changes meanwhile.
    func enter() {
        line.queue.sync { _ = try? beginPresence() }
    }

    package func ring(_ work: SharedWork) {
        guard waiting.withLock({ $0.add(work) }) else { return }
        line.queue.async { self.send() }
    }

    package func listen(isCounted: Bool, _ hear: @escaping @Sendable (SharedWork) -> Void) {
        line.queue.async {
            self.isCounted = isCounted
            self.hear = hear
            self.connect()
        }
    }

    package func count() async -> Int? {
        await withCheckedContinuation { continuation in
            line.queue.async { continuation.resume(returning: self.counted()) }
        }
    }

    /// Ends the connection: this process no longer counts and gets no rings.
    package func close() {
        line.queue.sync {
            isClosed = true
            hear = nil
            leave()
        }
        line.close()
    }

    // MARK: On the queue

    private func connect() {
        guard !isClosed, listener == nil else { return }
        do {
            let link = try presentLink()
            let channel = try Self.channel(of: link)
            try link.command("LISTEN \(channel)")
            if isCounted { try link.command("SELECT pg_advisory_lock_shared(\(Self.lock))") }
            watch(Listener(link, channel: channel))
        } catch {
            leave()
            tryAgain()
        }
    }

    /// A connection that has the lock of presence. While this process had none, somebody may have distributed the
    /// database; then it goes on as on a distributed one.
    private func presentLink() throws -> PostgresLink {
        if let present, try line.ready() === present { return present }
        let link = try beginPresence()
        if !placement.isDistributed { try placement.read(link) }
        return link
    }

    private func beginPresence() throws -> PostgresLink {
        let link = try line.ready()
        try link.command("\(Self.session); SELECT pg_advisory_lock_shared(\(Self.presence))")
        present = link
        return link
    }

    private static func channel(of link: PostgresLink) throws -> SQLText {
        let schema = try PostgresConnection(link: link).first(
            "SELECT hashtext(current_schema())::bigint & 4294967295", []
        ) { $0.integer(0) }
        return "belfry_\(schema ?? 0)"
    }

    private func watch(_ listener: Listener) {
        self.listener = listener
        failures = 0
        let queue = line.queue
        listener.watch = DescriptorWatch(listener.link.socket) { [weak self] in
            queue.sync { self?.arrived(at: listener) ?? false }
        } ended: {
            // The connection must not be closed while the event source still watches its socket.
            queue.async { listener.watch = nil }
        }
        for work in SharedWork.allCases { hear?(work) }
        heed(listener)
        if waiting.withLock({ $0.wake() }) { send() }
    }

    /// - Returns: whether this connection can still be used to listen.
    private func arrived(at listener: Listener) -> Bool {
        guard self.listener === listener else { return false }
        guard listener.link.receive() else {
            lost()
            return false
        }
        heed(listener)
        return true
    }

    /// Handles the notifications that have arrived. Unknown kinds of work are ignored: they may come from a newer
    /// program.
    private func heed(_ listener: Listener) {
        while let text = listener.link.nextNotification() {
            if let work = SharedWork(rawValue: text) { hear?(work) }
        }
    }

    private func send() {
        guard let listener else { return waiting.withLock { $0.putBack() } }
        let works = waiting.withLock { $0.take() }
        guard !works.isEmpty else { return }
        let rings = works.map { work -> SQLText in "NOTIFY \(listener.channel), \(word: work)" }
        do {
            try listener.link.command(rings.joined(by: "; "))
        } catch {
            waiting.withLock { $0.putBack(works) }
            return lost()
        }
        heed(listener)
        line.queue.asyncAfter(deadline: .now() + Self.rest) { self.send() }
    }

    private func counted() -> Int? {
        guard let listener else { return nil }
        do {
            let count = try PostgresConnection(link: listener.link).first(Self.counting, []) { Int($0.integer(0)) }
            heed(listener)
            return count
        } catch {
            lost()
            return nil
        }
    }

    private func lost() {
        leave()
        tryAgain()
    }

    private func leave() {
        listener?.watch?.stop()
        listener = nil
        line.leave()
    }

    private func tryAgain() {
        guard !isClosed else { return }
        let pause = PostgresReach.pause(after: failures, jitter: jitter())
        failures += 1
        line.queue.asyncAfter(deadline: .now() + pause) { [weak self] in self?.connect() }
    }
}
