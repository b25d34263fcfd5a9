import BelfryStore
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// Knows whether the store can take more, and sees to it that it can again (SEC-9): it looks at the disk, has the log
/// copied back when room is short, and asks a database that has failed whether it works again. What is wrong is logged
/// when it begins and when it ends, with a count.
package final class StorageWatch: Service {
    /// How often it looks, in seconds.
    static let interval: TimeInterval = 1
    /// After so many writes it looks as well: a second's writes may be more than what is left.
    static let writesBetweenLooks = 8
    /// With less than this above the floor, in bytes, it looks after each write: eight that touch many pages may be more
    /// than a small floor.
    static let nearness: Int64 = 64 << 20
    /// A log that has grown beyond this is copied back and cut, in bytes: readers that overlap may have kept the engine
    /// from it.
    static let maximumLog: Int64 = 128 << 20

    /// The disk of a store that lies in this machine's files, whoever writes them.
    package struct Disk: Sendable {
        let space: @Sendable () -> DiskSpace?
        let settle: @Sendable () async throws -> Void

        /// - Parameters:
        ///   - space: asks the file system; nil when it does not answer.
        ///   - settle: copies the log into the store's file, and gives the log's space back; nothing where that is
        ///     somebody else's affair.
        package init(
            space: @escaping @Sendable () -> DiskSpace?, settle: @escaping @Sendable () async throws -> Void
        ) {
            self.space = space
            self.settle = settle
        }
    }

    private struct State {
        var level = DiskLevel()
        var space: DiskSpace?
        /// It was logged that room is short, at this moment.
        var lowSince: Date?
        /// Calls that were refused since.
        var refused = 0
        var writes = Trouble()
        var reads = Trouble()
    }

    private let database: any SQLDatabase
    private let disk: Disk?
    private let floor: DiskFloor
    private let environment: ServerEnvironment
    private let metrics: Metrics
    private let logger: Logger
    private let state = Mutex(State())
    // What calls ask for without waiting for anybody.
    private let isClosed = Atomic(false)
    private let isTroubled = Atomic(false)
    private let isNear = Atomic(true)
    private let writes = Atomic(0)

    /// - Parameters:
    ///   - database: is asked whether it works again; not the one that tells this watch of its failures.
    ///   - disk: nil for a database whose disk cannot be seen from here: only its errors tell of it.
    package init(
        database: any SQLDatabase, disk: Disk?, floor: DiskFloor, environment: ServerEnvironment, metrics: Metrics,
        logger: Logger
    ) {
        self.database = database
        self.disk = disk
        self.floor = floor
        self.environment = environment
        self.metrics = metrics
        self.logger = logger
    }

    package func run() async {
        await environment.repeatUntilShutdown(every: Self.interval) { [self] in await tick() }
    }

    // MARK: What callers ask

    /// The disk is below its floor: what makes the store grow is to be refused.
    package var isLow: Bool { isClosed.load(ordering: .relaxed) }

    /// The store's disk as it was looked at last; nil before that, and where no disk is watched.
    package var diskReport: StorageReport? {
        state.withLock { state in
            state.space.map { StorageReport(space: $0, floor: floor.bytes(of: $0.total), isLow: state.level.isLow) }
        }
    }

    /// Counts a call that was refused because of that.
    package func noteRejection() {
        metrics.add(1, to: #"belfry_requests_refused_total{reason="storageFull"}"#)
        state.withLock { $0.refused += 1 }
    }

    /// What keeps the store from taking more; nil when nothing does.
    package var obstacle: StorageObstacle? {
        if isLow { return .noRoom }
        guard isTroubled.load(ordering: .relaxed) else { return nil }
        return state.withLock { state in
            guard state.writes.isFailing else { return nil }
            return state.writes.meansNoRoom ? .noRoom : .noWrites
        }
    }

    // MARK: What the database tells

    func note<Output>(write result: Result<Output, any Error>) {
        switch result {
        case .failure(let error) where error.meansTryAgain:
            let now = environment.now()
            let begins = state.withLock { $0.writes.fail(error, now: now) }
            count(error, of: "write", begins ? "the database does not accept writes" : nil)
        case .failure:
            break
        case .success:
            if isTroubled.load(ordering: .relaxed) { state.withLock { $0.writes.succeed() } }
            guard disk != nil else { return }
            let count = writes.wrappingAdd(1, ordering: .relaxed).newValue
            if isNear.load(ordering: .relaxed) || count.isMultiple(of: Self.writesBetweenLooks) { look() }
        }
    }

    func note<Output>(read result: Result<Output, any Error>) {
        if case .failure(let error) = result, error.meansTryAgain {
            let now = environment.now()
            let begins = state.withLock { $0.reads.fail(error, now: now) }
            count(error, of: "read", begins ? "the database cannot be read" : nil)
        } else if isTroubled.load(ordering: .relaxed) {
            state.withLock { $0.reads.succeed() }
        }
    }

    /// - Parameter beginning: what to say when this is the first of its kind.
    private func count(_ error: any Error, of work: String, _ beginning: Logger.Message?) {
        metrics.add(1, to: "belfry_database_failures_total{work=\"\(work)\"}")
        guard let beginning else { return }
        isTroubled.store(true, ordering: .relaxed)
        logger.error(beginning, metadata: ["error": "\(LoggedError(error))"])
    }

    // MARK: What it does about it

    /// Looks once, and does what helps.
    package func tick() async {
        look()
        let needsRoom = state.withLock { state in
            state.level.wantsRoom || state.writes.meansNoRoom || (state.space?.unsettled ?? 0) > Self.maximumLog
        }
        if needsRoom, let disk {
            // Where it fails, there is no room for that either: the next look tries again.
            try? await disk.settle()
            look(isSettled: true)
        }
        await probe()
        report()
    }

    /// - Parameter isSettled: the log was copied back just now, as far as that was possible.
    private func look(isSettled: Bool = false) {
        guard let space = disk?.space() else { return }
        state.withLock { state in
            state.level.take(space, floor: floor, isSettled: isSettled)
            state.space = space
            // Within the lock, so that of two looks at once the later one wins here too.
            isClosed.store(state.level.isLow, ordering: .relaxed)
            isNear.store(space.left < floor.bytes(of: space.total) + Self.nearness, ordering: .relaxed)
        }
    }

    /// Asks a database that has failed: nobody else may, while load balancers send nobody here.
    private func probe() async {
        let (reads, writes) = state.withLock { state in
            // A small write may find a place where no other does: before there is room for both, nothing has changed.
            let isFull = state.writes.meansNoRoom && state.space?.hasRoomForWrites == false
            return (state.reads.isFailing, state.writes.isFailing && !isFull)
        }
        if reads, (try? await database.read({ try $0.newestSchema() })) != nil {
            state.withLock { $0.reads.succeed() }
        }
        if writes, (try? await database.write({ try $0.touchSchema() })) != nil {
            state.withLock { $0.writes.succeed() }
        }
    }

    private func report() {
        let now = environment.now()
        let (space, low, writes, reads) = state.withLock { state in
            let low = Self.reportLow(&state, now: now)
            let ended = (state.writes.end(now: now), state.reads.end(now: now))
            if !state.writes.hasBegun, !state.reads.hasBegun { isTroubled.store(false, ordering: .relaxed) }
            return (state.space, low, ended.0, ended.1)
        }
        if let space {
            metrics.set(Int(space.available), "belfry_disk_available_bytes")
            metrics.set(Int(floor.bytes(of: space.total)), "belfry_disk_floor_bytes")
            metrics.set(Int(space.unsettled), "belfry_database_log_bytes")
        }
        metrics.set(isLow ? 1 : 0, "belfry_disk_low")
        low.map(log)
        writes.map { log("the database accepts writes again", $0) }
        reads.map { log("the database can be read again", $0) }
    }

    private enum LowReport {
        case began(DiskSpace)
        case ended(Trouble.Summary)
    }

    /// Told after the log was copied back: where that makes room enough, nothing was wrong.
    private static func reportLow(_ state: inout State, now: Date) -> LowReport? {
        switch (state.level.isLow, state.lowSince) {
        case (true, nil):
            state.lowSince = now
            return state.space.map(LowReport.began)
        case (false, let since?):
            let summary = Trouble.Summary(
                failures: state.refused, seconds: max(Int(now.timeIntervalSince(since)), 0)
            )
            state.lowSince = nil
            state.refused = 0
            return .ended(summary)
        default:
            return nil
        }
    }

    private func log(_ report: LowReport) {
        switch report {
        case .began(let space):
            logger.error(
                "the disk is nearly full: requests that make the store grow are rejected until space is freed",
                metadata: [
                    "availableBytes": "\(space.available)", "floorBytes": "\(floor.bytes(of: space.total))",
                    "logBytes": "\(space.unsettled)",
                ]
            )
        case .ended(let summary):
            logger.notice(
                "the disk has enough free space again",
                metadata: ["refusedCalls": "\(summary.failures)", "seconds": "\(summary.seconds)"]
            )
        }
    }

    private func log(_ message: Logger.Message, _ summary: Trouble.Summary) {
        logger.notice(
            message, metadata: ["failures": "\(summary.failures)", "seconds": "\(summary.seconds)"]
        )
    }
}

/// Why the store takes no more.
package enum StorageObstacle: Hashable, Sendable {
    /// The disk is full, or below its floor.
    case noRoom
    /// The last write failed for another reason that may pass.
    case noWrites
}

/// The store's disk as people are shown it, in bytes.
package struct StorageReport: Hashable, Sendable {
    package let space: DiskSpace
    /// So much is to stay free; 0 without a floor.
    package let floor: Int64
    /// Whether what makes the store grow is refused.
    package let isLow: Bool
}
