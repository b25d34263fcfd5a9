import BelfryModel
import BelfryPush
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The pools of a sender to many push services: made when a route is first used, closed when it is idle, and bounded in
/// number where devices name the endpoints (PUSH-4, SEC-5).
///
/// It has no timer: whoever owns it calls `closeIdle()` now and then.
package final class PushConnectionPools: Sendable {
    /// Trust roots whose TLS context is kept: to make one takes as long as hundreds of requests.
    static let keptContexts = 64

    private struct Member {
        let pool: PushConnectionPool
        let share: RouteShare
    }

    private struct State {
        var registry: PoolRegistry<Member>
        var contexts: [[String]: NIOSSLContext] = [:]
        /// Those that are closing. A lookup that hangs may hold one for long, so that their number is bounded as well.
        private(set) var leaving: [ObjectIdentifier: Member] = [:]
        var isShutDown = false

        init(limits: PoolLimits) {
            registry = PoolRegistry(limits: limits)
        }

        /// Whether so few of its like are closing that one more may be made.
        func mayMake(_ route: PushRoute) -> Bool {
            guard route.isFromDevice else { return true }
            let closing = leaving.values.count(where: { $0.share == route.share })
            return switch route.share {
            case .known: closing < registry.limits.devicePools
            case .unproven: closing < registry.limits.unprovenPools
            case .strangers: closing < registry.limits.strangerPools
            }
        }

        mutating func leave(_ member: Member) {
            leaving[ObjectIdentifier(member.pool)] = member
        }

        mutating func left(_ pool: PushConnectionPool) {
            leaving[ObjectIdentifier(pool)] = nil
        }
    }

    /// What a send is to do.
    private enum Admission {
        case pool(PushConnectionPool, closing: Member?, begunAt: NIODeadline)
        case refused(reason: String)
    }

    private let group: any EventLoopGroup
    private let settings: DeliverySettings
    private let now: @Sendable () -> NIODeadline
    private let jitter: @Sendable () -> Double
    private let logger: Logger
    /// Where names that devices gave are looked up, those of services whose answer is missing, and those of strangers.
    /// Each runs once such a name was given.
    private let deviceLookups: NIOThreadPool
    private let unprovenLookups: NIOThreadPool
    let strangerLookups: NIOThreadPool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - settings: those of each pool.
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
        strangerLookups = NIOThreadPool(numberOfThreads: limits.strangerLookups)
        state = Mutex(State(limits: limits))
    }

    /// Pools that there are, without those that are closing.
    package var count: Int { state.withLock { $0.registry.count } }

    /// What the connections to each push service carry, those aside that are closing; nothing for one without a pool.
    package func use() async -> [PushProvider: PushConnectionUse] {
        var use: [PushProvider: PushConnectionUse] = [:]
        for (route, member) in state.withLock({ $0.registry.pools }) {
            let own = await member.pool.use()
            use[route.provider, default: PushConnectionUse()] += own
        }
        return use
    }

    /// As ``PushConnectionPool/send(_:deadline:onResponse:)``. Where no pool can be had, and where the service does not
    /// answer, `onResponse` is called at once.
    package func send(
        _ requests: [PushRequest], by route: PushRoute,
        onResponse: @escaping @Sendable (_ index: Int, _ result: PushResult) -> Void
    ) {
        guard !requests.isEmpty else { return }
        switch admit(route) {
        case .refused(let reason):
            for index in requests.indices { onResponse(index, .notProcessed(reason: reason)) }
        case .pool(let pool, let closing, let begunAt):
            if let closing { close([closing]) }
            let progress = SendProgress(of: requests.count, begunAt: begunAt)
            pool.send(requests) { index, result in
                if route.isFromDevice, progress.isFirstResponse(result) { self.answered(route) }
                // Before the answer, so that whoever has the last one knows that the route is idle.
                if progress.isOver() { self.ended(progress, route) }
                onResponse(index, result)
            }
        }
    }

    /// Closes the connections of routes that nobody has used for `PoolLimits.idleTime`.
    package func closeIdle() {
        let now = now()
        let idle = state.withLock { state in
            let idle = state.registry.removeIdle(at: now)
            for member in idle { state.leave(member) }
            return idle
        }
        close(idle)
    }

    /// Takes nothing new, and ends as ``PushConnectionPool/shutdown()`` does, all pools at the same time.
    package func shutdown() async {
        let pools = state.withLock { state in
            state.isShutDown = true
            return (state.registry.removeAll() + Array(state.leaving.values)).map(\.pool)
        }
        await withDiscardingTaskGroup { group in
            for pool in pools { group.addTask { await pool.shutdown() } }
        }
        // They have been stopped before, or never ran: nothing is left to do either way.
        try? await deviceLookups.shutdownGracefully()
        try? await unprovenLookups.shutdownGracefully()
        try? await strangerLookups.shutdownGracefully()
    }

    /// Finds or makes the pool, and notes that a send begins.
    private func admit(_ route: PushRoute) -> Admission {
        let now = now()
        return state.withLock { state in
            guard !state.isShutDown else { return .refused(reason: TransportFailure.shutDown.reason) }
            if let member = state.registry[route] {
                let mayBegin = state.registry.begin(route, at: now)
                return mayBegin
                    ? .pool(member.pool, closing: nil, begunAt: now) : .refused(reason: Reason.silentService)
            }
            guard let tls = context(route, &state) else { return .refused(reason: Reason.unusableTrustRoots) }
            guard state.mayMake(route), case .free(let closing) = state.registry.makeRoom(for: route)
            else { return .refused(reason: Reason.tooManyServices) }
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
        // What an operator may name on this machine, a device may not (SEC-5).
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
            case .strangers: strangerLookups
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

    /// Pools that are out of the roster already.
    private func close(_ members: [Member]) {
        for pool in members.map(\.pool) {
            pool.shutdown { self.state.withLock { state in state.left(pool) } }
        }
    }
}

/// Says which of a send's results is the last, and whether one was an answer.
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
