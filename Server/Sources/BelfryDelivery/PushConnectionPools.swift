import BelfryModel
import BelfryPush
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The pools of a sender to many push services. A pool is created when a route is first used and closed when it is
/// idle. Their number is limited where devices choose the endpoints (PUSH-4, SEC-5).
///
/// It has no timer: its owner calls `closeIdle()` at intervals.
package final class PushConnectionPools: Sendable {
    /// The number of trust roots whose TLS context is kept: to create one takes as long as hundreds of requests.
    static let keptContexts = 64

    private struct Member {
        let pool: PushConnectionPool
        let share: RouteShare
    }

    private struct State {
        var registry: PoolRegistry<Member>
        var contexts: [[String]: NIOSSLContext] = [:]
        /// The pools that are closing. A hanging look-up may delay one for long, so their number is limited as well.
        private(set) var leaving: [ObjectIdentifier: Member] = [:]
        var isShutDown = false

        init(limits: PoolLimits) {
            registry = PoolRegistry(limits: limits)
        }

        /// Whether few enough pools of this route's share are closing that another may be created.
        func mayMake(_ route: PushRoute) -> Bool {
            guard route.isFromDevice else { return true }
            let closing = leaving.values.count(where: { $0.share == route.share })
            return switch route.share {
            case .known: closing < registry.limits.devicePools
            case .unproven: closing < registry.limits.unprovenPools
            case .unknownHosts: closing < registry.limits.unknownHostPools
            }
        }

        mutating func leave(_ member: Member) {
            leaving[ObjectIdentifier(member.pool)] = member
        }

        mutating func left(_ pool: PushConnectionPool) {
            leaving[ObjectIdentifier(pool)] = nil
        }
    }

    /// The decision about a send.
    private enum Admission {
        case pool(PushConnectionPool, closing: Member?, begunAt: NIODeadline)
        case rejected(reason: String)
    }

    private let group: any EventLoopGroup
    private let settings: DeliverySettings
    private let now: @Sendable () -> NIODeadline
    private let jitter: @Sendable () -> Double
    private let logger: Logger
    /// The threads for look-ups of names from devices, of names of unproven services, and of unknown hosts. Each
    /// pool of threads starts with the first such name.
    private let deviceLookups: NIOThreadPool
    private let unprovenLookups: NIOThreadPool
    let unknownHostLookups: NIOThreadPool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - settings: the settings of each pool.
    ///   - jitter: random numbers from 0 up to 1.
    package init(
        group: any EventLoopGroup, settings: DeliverySettings, limits: PoolLimits,
        now: @escaping @Sendable () -> NIODeadline, jitter: @escaping @Sendable () -> Double, logger: Logger
    ) {
        self.group = group
        self.settings = settings
        self.now = now
        self.jitter = jitter
        self.logger = logger
        deviceLookups = NIOThreadPool(numberOfThreads: limits.deviceLookups)
        unprovenLookups = NIOThreadPool(numberOfThreads: limits.unprovenLookups)
        unknownHostLookups = NIOThreadPool(numberOfThreads: limits.unknownHostLookups)
        state = Mutex(State(limits: limits))
    }

    /// The number of pools, without those that are closing.
    package var count: Int { state.withLock { $0.registry.count } }

    /// The current use of the connections to each push service, without closing pools; a service without a pool has no
    /// entry.
    package func use() async -> [PushProvider: PushConnectionUse] {
        var use: [PushProvider: PushConnectionUse] = [:]
        for (route, member) in state.withLock({ $0.registry.pools }) {
            let own = await member.pool.use()
            use[route.provider, default: PushConnectionUse()] += own
        }
        return use
    }

    /// Sends as ``PushConnectionPool/send(_:deadline:onResponse:)`` does. If no pool is available, or the service does
    /// not answer, `onResponse` is called immediately.
    package func send(
        _ requests: [PushRequest], by route: PushRoute,
        onResponse: @escaping @Sendable (_ index: Int, _ result: PushResult) -> Void
    ) {
        guard !requests.isEmpty else { return }
        switch admit(route) {
        case .rejected(let reason):
            for index in requests.indices { onResponse(index, .notProcessed(reason: reason)) }
        case .pool(let pool, let closing, let begunAt):
            if let closing { close([closing]) }
            let progress = SendProgress(of: requests.count, begunAt: begunAt)
            pool.send(requests) { index, result in
                if route.isFromDevice, progress.isFirstResponse(result) { self.answered(route) }
                // Before the last result is delivered, so that its receiver finds the route idle.
                if progress.isOver() { self.ended(progress, route) }
                onResponse(index, result)
            }
        }
    }

    /// Closes the connections of routes that were not used for `PoolLimits.idleTime`.
    package func closeIdle() {
        let now = now()
        let idle = state.withLock { state in
            let idle = state.registry.removeIdle(at: now)
            for member in idle { state.leave(member) }
            return idle
        }
        close(idle)
    }

    /// Takes no new requests, and shuts down all pools at the same time, as ``PushConnectionPool/shutdown()`` does.
    package func shutdown() async {
        let pools = state.withLock { state in
            state.isShutDown = true
            return (state.registry.removeAll() + Array(state.leaving.values)).map(\.pool)
        }
        await withDiscardingTaskGroup { group in
            for pool in pools { group.addTask { await pool.shutdown() } }
        }
        // An error means that the threads were stopped before, or never ran; both are fine.
        try? await deviceLookups.shutdownGracefully()
        try? await unprovenLookups.shutdownGracefully()
        try? await unknownHostLookups.shutdownGracefully()
    }

    /// Finds or creates the pool, and records that a send begins.
    private func admit(_ route: PushRoute) -> Admission {
        let now = now()
        return state.withLock { state in
            guard !state.isShutDown else { return .rejected(reason: TransportFailure.shutDown.reason) }
            if let member = state.registry[route] {
                let mayBegin = state.registry.begin(route, at: now)
                return mayBegin
                    ? .pool(member.pool, closing: nil, begunAt: now) : .rejected(reason: Reason.silentService)
            }
            guard let tls = context(route, &state) else { return .rejected(reason: Reason.unusableTrustRoots) }
            guard state.mayMake(route), case .free(let closing) = state.registry.makeRoom(for: route)
            else { return .rejected(reason: Reason.tooManyServices) }
            if let closing { state.leave(closing) }
            let pool = makePool(route, tls: tls)
            state.registry.add(Member(pool: pool, share: route.share), for: route, at: now)
            _ = state.registry.begin(route, at: now)
            return .pool(pool, closing: closing, begunAt: now)
        }
    }

    private func context(_ route: PushRoute, _ state: inout State) -> NIOSSLContext? {
        if let context = state.contexts[route.trustRoots] { return context }
        do {
            let own: DeliveryTrust =
                settings.trustsSystemToo ? .systemAnd(route.trustRoots) : .roots(route.trustRoots)
            let trust = route.trustRoots.isEmpty ? .system : own
            let context = try trust.makeContext()
            if state.contexts.count >= Self.keptContexts { state.contexts.removeAll() }
            state.contexts[route.trustRoots] = context
            return context
        } catch {
            logger.error(
                "cannot create connections", metadata: ["endpoint": "\(route.endpoint)", "error": "\(error)"]
            )
            return nil
        }
    }

    private func makePool(_ route: PushRoute, tls: NIOSSLContext) -> PushConnectionPool {
        var settings = settings
        // An operator may choose an endpoint on this machine, a device may not (SEC-5).
        if route.isFromDevice { settings.allowsLoopbackAddresses = false }
        return PushConnectionPool(
            endpoint: route.endpoint, tls: tls, settings: settings, lookups: lookups(for: route),
            eventLoop: group.next(), jitter: jitter, logger: logger
        )
    }

    private func lookups(for route: PushRoute) -> NIOThreadPool {
        guard route.isFromDevice else { return .singleton }
        let lookups =
            switch route.share {
            case .known: deviceLookups
            case .unproven: unprovenLookups
            case .unknownHosts: unknownHostLookups
            }
        lookups.start()
        return lookups
    }

    private func answered(_ route: PushRoute) {
        let now = now()
        state.withLock { $0.registry.answered(route, now: now) }
    }

    private func ended(_ send: SendProgress, _ route: PushRoute) {
        let now = now()
        state.withLock {
            $0.registry.end(route, begunAt: send.begunAt, isAnswered: send.isAnswered, now: now)
        }
    }

    /// Closes pools that were already removed from the registry.
    private func close(_ members: [Member]) {
        for pool in members.map(\.pool) {
            pool.shutdown { self.state.withLock { state in state.left(pool) } }
        }
    }
}

/// Determines which result of a send is the last, and whether the service answered.
private final class SendProgress: Sendable {
    let begunAt: NIODeadline
    private let left: Atomic<Int>
    private let answered = Atomic(false)

    init(of count: Int, begunAt: NIODeadline) {
        self.begunAt = begunAt
        left = Atomic(count)
    }

    var isAnswered: Bool { answered.load(ordering: .acquiring) }

    func isFirstResponse(_ result: PushResult) -> Bool {
        guard case .answered = result else { return false }
        return !answered.exchange(true, ordering: .acquiringAndReleasing)
    }

    func isOver() -> Bool {
        left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
    }
}
