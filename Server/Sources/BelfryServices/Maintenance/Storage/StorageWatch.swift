import BelfryStore
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// Watches whether the store can take more data, and helps it when it cannot (SEC-9): it checks the disk, has the log
/// copied back when space is short, and tests whether a database that has failed works again. It logs a problem when it
/// begins and when it ends, with a count.
package final class StorageWatch: Service {
    /// How often it checks, in seconds.
    static let interval: TimeInterval = 1
    /// It also checks after this many writes: a second's writes may need more space than is left.
    static let writesBetweenLooks = 8
    /// With less space than this above the floor, in bytes, it checks after each write: eight large writes may need
    /// more than a small floor.
    static let nearness: Int64 = 64 << 20
    /// A log that is larger than this, in bytes, is copied back and cut: overlapping readers may have prevented the
    /// engine from doing so.
    static let maximumLog: Int64 = 128 << 20

    /// The disk of a store whose files are on this machine, whichever process writes them.
    package struct Disk: Sendable {
        let space: @Sendable () -> DiskSpace?
        let settle: @Sendable () async throws -> Void

        /// - Parameters:
        ///   - space: reads the free space of the file system. Nil when that fails.
        ///   - settle: copies the log into the store's file and frees the log's space. Does nothing where another
        ///     program does that.
        package init(
            space: @escaping @Sendable () -> DiskSpace?, settle: @escaping @Sendable () async throws -> Void
        ) {
            self.space = space
            self.settle = settle
        }
    }

    private struct State {
        var level = DiskLevel()
        /// Nil where no disk is watched, and while the one that is cannot be examined.
        var space: DiskSpace?
        /// Whether the log says that the disk cannot be examined.
        var isUnseenLogged = false
        /// When the log reported that space is short. Nil when it is not.
        var lowSince: Date?
        /// The number of calls that were rejected since.
        var rejected = 0
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
    // Whether space is low, readable without a lock.
    private let isClosed = Atomic(false)
    private let isTroubled = Atomic(false)
    private let isNear = Atomic(true)
    private let writes = Atomic(0)

    /// - Parameters:
    ///   - database: tested for whether it works again. It must not be the one that reports its failures to this watch.
    ///   - disk: nil for a database whose disk is not visible here: then only its errors show a problem.
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

    // MARK: Queries of callers

    /// Whether the disk is below its floor, so that calls that make the store grow must be rejected.
    package var isLow: Bool { isClosed.load(ordering: .relaxed) }

    /// The last check of the store's disk. Nil before the first, and where no disk is watched.
    package var diskReport: StorageReport? {
        state.withLock { state in
            state.space.map { StorageReport(space: $0, floor: floor.bytes(of: $0.total), isLow: state.level.isLow) }
        }
    }

    /// Counts a call that was rejected because the disk is low.
    package func noteRejection() {
        metrics.add(1, to: #"belfry_requests_refused_total{reason="storageFull"}"#)
        state.withLock { $0.rejected += 1 }
    }

    /// The obstacle that keeps the store from taking more data. Nil when there is none.
    package var obstacle: StorageObstacle? {
        if isLow { return .noRoom }
        guard isTroubled.load(ordering: .relaxed) else { return nil }
        return state.withLock { state in
            guard state.writes.isFailing else { return nil }
            return state.writes.meansNoRoom ? .noRoom : .noWrites
        }
    }

    // MARK: Reports of the database

    func note<Output>(write result: Result<Output, any Error>) {
        switch result {
        case .failure(let error) where error.meansTryAgain:
            let now = environment.now()
            let begins = state.withLock { $0.writes.fail(error, now: now) }
            count(error, of: "write", begins ? "the database does not accept writes" : nil)
        case .failure:
            break
        case .success:
            if isTroubled.load(ordering: .relaxed) { state.withLock { $0.writes.succeedByChance() } }
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

    /// - Parameter beginning: the message to log if this is the first failure.
    private func count(_ error: any Error, of work: String, _ beginning: Logger.Message?) {
        metrics.add(1, to: "belfry_database_failures_total{work=\"\(work)\"}")
        guard let beginning else { return }
        isTroubled.store(true, ordering: .relaxed)
        logger.error(beginning, metadata: ["error": "\(LoggedError(error))"])
    }

    // MARK: Checks and repairs

    /// Checks once, and does what helps.
    package func tick() async {
        look()
        let needsRoom = state.withLock { state in
            state.level.wantsRoom || state.writes.needsTrial || (state.space?.unsettled ?? 0) > Self.maximumLog
        }
        if needsRoom, let disk {
            // If the copy fails, there is no space for it either. The next check tries again.
            try? await disk.settle()
            look(isSettled: true)
        }
        await probe()
        report()
    }

    /// - Parameter isSettled: whether the log has just been copied back, as far as possible.
    private func look(isSettled: Bool = false) {
        guard let disk else { return }
        let space = disk.space()
        state.withLock { state in
            guard let space else {
                // The last figures say nothing about now: a floor by them might reject calls for good.
                (state.level, state.space) = (DiskLevel(), nil)
                isClosed.store(false, ordering: .relaxed)
                isNear.store(true, ordering: .relaxed)
                return
            }
            state.level.take(space, floor: floor, isSettled: isSettled)
            state.space = space
            // Set within the lock, so that the later of two simultaneous checks wins here, too.
            isClosed.store(state.level.isLow, ordering: .relaxed)
            isNear.store(space.left < floor.bytes(of: space.total) + Self.nearness, ordering: .relaxed)
        }
    }

    /// Tests a database that has failed. No other call may do that, because load balancers send this process none while
    /// it is not ready.
    private func probe() async {
        let (reads, writes, needsRoom) = state.withLock { state in
            // A small write may succeed where no other does. Until there is room for both, nothing has changed.
            let needsRoom = state.writes.needsTrial
            let isFull = needsRoom && state.space?.hasRoomForWrites == false
            return (state.reads.isFailing, state.writes.isFailing && !isFull, needsRoom)
        }
        if reads, (try? await database.read({ try $0.newestSchema() })) != nil {
            state.withLock { $0.reads.succeed() }
        }
        if writes, await acceptsWrites(needsRoom: needsRoom) {
            state.withLock { $0.writes.succeed() }
        }
    }

    private func acceptsWrites(needsRoom: Bool) async -> Bool {
        if needsRoom {
            do {
                try await database.write { try $0.touchSchemaWithRoom() }
                return true
            } catch let error where error.meansTryAgain {
                return false
            } catch {
                // The server does not permit the trial itself, so it would never pass. The small write has to do.
            }
        }
        return (try? await database.write { try $0.touchSchema() }) != nil
    }

    private func report() {
        let now = environment.now()
        let (space, low, writes, reads, isUnseen) = state.withLock { state in
            let low = Self.reportLow(&state, now: now)
            let isUnseen = disk != nil && state.space == nil
            let isNews = isUnseen != state.isUnseenLogged
            state.isUnseenLogged = isUnseen
            let ended = (state.writes.end(now: now), state.reads.end(now: now))
            if !state.writes.hasBegun, !state.reads.hasBegun { isTroubled.store(false, ordering: .relaxed) }
            return (state.space, low, ended.0, ended.1, isNews ? isUnseen : nil)
        }
        if let space {
            metrics.set(Int(space.available), "belfry_disk_available_bytes")
            metrics.set(Int(floor.bytes(of: space.total)), "belfry_disk_floor_bytes")
            metrics.set(Int(space.unsettled), "belfry_database_log_bytes")
        }
        metrics.set(isLow ? 1 : 0, "belfry_disk_low")
        low.map(log)
        if let isUnseen { log(isUnseen: isUnseen) }
        writes.map { log("the database accepts writes again", $0) }
        reads.map { log("the database can be read again", $0) }
    }

    private enum LowReport {
        case began(DiskSpace)
        case ended(Trouble.Summary)
    }

    /// The low disk to report, or its end. It is called after the log was copied back: if that has freed enough,
    /// nothing was wrong.
    private static func reportLow(_ state: inout State, now: Date) -> LowReport? {
        switch (state.level.isLow, state.lowSince) {
        case (true, nil):
            state.lowSince = now
            return state.space.map(LowReport.began)
        case (false, let since?):
            let summary = Trouble.Summary(
                failures: state.rejected, seconds: max(Int(now.timeIntervalSince(since)), 0)
            )
            state.lowSince = nil
            state.rejected = 0
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

    private func log(isUnseen: Bool) {
        guard isUnseen else { return logger.notice("the database's disk can be examined again: its floor applies") }
        logger.error(
            """
            the free space of the database's disk cannot be read, so no floor applies; check that the database's folder \
            is still there and may be entered
            """
        )
    }

    private func log(_ message: Logger.Message, _ summary: Trouble.Summary) {
        logger.notice(
            message, metadata: ["failures": "\(summary.failures)", "seconds": "\(summary.seconds)"]
        )
    }
}

/// Why the store takes no more data.
package enum StorageObstacle: Hashable, Sendable {
    /// The disk is full, or below its floor.
    case noRoom
    /// The last write failed for another reason, which may be temporary.
    case noWrites
}

/// The state of the store's disk for operators, in bytes.
package struct StorageReport: Hashable, Sendable {
    package let space: DiskSpace
    /// The space that must stay free. 0 without a floor.
    package let floor: Int64
    /// Whether calls that make the store grow are rejected.
    package let isLow: Bool
}
