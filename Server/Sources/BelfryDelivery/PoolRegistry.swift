import BelfryPush
import NIOCore

/// Decides which pools exist, which are busy, and which must be closed. It performs no I/O.
struct PoolRegistry<Pool> {
    /// Whether one more pool may be made.
    enum Room {
        /// It may; `closing` is the pool to close for it.
        case free(closing: Pool?)
        /// The maximum number of pools exists, and all of them are busy.
        case none
    }

    private struct Entry {
        let pool: Pool
        /// The number of sends with unanswered requests.
        var underWay = 0
        var lastUsed: NIODeadline
        var health = RouteHealth()
    }

    let limits: PoolLimits
    private var entries: [PushRoute: Entry] = [:]
    /// The number of pools whose endpoint a device chose.
    private(set) var fromDevices = 0
    /// The number of those at unknown hosts, without the unproven ones.
    private(set) var atUnknownHosts = 0
    /// The number of those at unproven services, which only have to answer once to be known.
    private(set) var ofUnproven = 0

    init(limits: PoolLimits) {
        self.limits = limits
    }

    var count: Int { entries.count }

    subscript(route: PushRoute) -> Pool? { entries[route]?.pool }

    /// All pools, in no order.
    var pools: [(route: PushRoute, pool: Pool)] { entries.map { ($0.key, $0.value.pool) } }

    /// Makes room for a pool, and removes the pool that must be closed for it: the one that was idle for longest, and
    /// before any other one at an unknown host. Unknown hosts that have used up their share only displace each other,
    /// and so do unproven services.
    mutating func makeRoom(for route: PushRoute) -> Room {
        guard route.isFromDevice else { return .free(closing: nil) }
        let isShareSpent =
            switch route.share {
            case .known: false
            case .unproven: ofUnproven >= limits.unprovenPools
            case .unknownHosts: atUnknownHosts >= limits.unknownHostPools
            }
        guard isShareSpent || fromDevices >= limits.devicePools else { return .free(closing: nil) }
        let idle = entries.filter { key, entry in
            entry.underWay == 0 && (isShareSpent ? key.share == route.share : key.isFromDevice)
        }
        let unknown = idle.filter { $0.key.isAtUnknownHost }
        let candidates = unknown.isEmpty ? idle : unknown
        guard let oldest = candidates.min(by: { $0.value.lastUsed < $1.value.lastUsed }) else { return .none }
        return .free(closing: remove(oldest.key))
    }

    mutating func add(_ pool: Pool, for route: PushRoute, at now: NIODeadline) {
        entries[route] = Entry(pool: pool, lastUsed: now)
        tally(route, by: 1)
    }

    /// Begins a send. Its pool is kept until the send has ended.
    ///
    /// - Returns: false when the send must not begin, because a device chose the service and it did not answer.
    mutating func begin(_ route: PushRoute, at now: NIODeadline) -> Bool {
        guard !route.isFromDevice || entries[route]?.health.mayBegin(at: now) ?? true else { return false }
        entries[route]?.underWay += 1
        entries[route]?.lastUsed = now
        return true
    }

    /// The first of a send's requests was answered.
    mutating func answered(_ route: PushRoute, now: NIODeadline) {
        entries[route]?.health.answered(at: now)
    }

    mutating func end(_ route: PushRoute, begunAt: NIODeadline, isAnswered: Bool, now: NIODeadline) {
        entries[route]?.underWay -= 1
        entries[route]?.lastUsed = now
        if route.isFromDevice, !isAnswered { entries[route]?.health.failed(begunAt: begunAt, now: now) }
    }

    /// Removes and returns the pools that nobody has used for ``PoolLimits/idleTime``.
    mutating func removeIdle(at now: NIODeadline) -> [Pool] {
        let idle = entries.filter { $0.value.underWay == 0 && $0.value.lastUsed + limits.idleTime <= now }
        return idle.keys.compactMap { remove($0) }
    }

    mutating func removeAll() -> [Pool] {
        entries.keys.compactMap { remove($0) }
    }

    private mutating func remove(_ route: PushRoute) -> Pool? {
        guard let entry = entries.removeValue(forKey: route) else { return nil }
        tally(route, by: -1)
        return entry.pool
    }

    private mutating func tally(_ route: PushRoute, by change: Int) {
        if route.isFromDevice { fromDevices += change }
        switch route.share {
        case .known: break
        case .unproven: ofUnproven += change
        case .unknownHosts: atUnknownHosts += change
        }
    }
}

/// The share of places and look-ups that a route from a device uses (SEC-5).
enum RouteShare: Hashable, Sendable {
    case known
    /// Services that are known once they have answered.
    case unproven
    case unknownHosts
}

extension PushRoute {
    var share: RouteShare { isUnproven ? .unproven : isAtUnknownHost ? .unknownHosts : .known }
}

/// The maximum number of pools and look-ups, and the lifetime of an idle pool.
package struct PoolLimits: Sendable {
    /// The maximum number of pools whose endpoint a device chose. When all of them are busy, requests to other
    /// endpoints are answered `notProcessed`. Pools of operators' endpoints are few, and have no limit.
    package var devicePools = 256
    /// The maximum number of these at unknown hosts. With `unprovenPools` it is half, so that the services of
    /// browsers always have as many.
    package var unknownHostPools = 96
    /// The maximum number of these at names that only a known service can have, and that has not answered yet.
    package var unprovenPools = 32
    /// How long a pool keeps its connections without requests.
    package var idleTime = TimeAmount.minutes(5)
    /// The maximum number of concurrent look-ups of names from devices.
    package var deviceLookups = 16
    /// The maximum number of concurrent look-ups of unknown hosts. Whoever runs such a host can make a look-up slow, so
    /// these must only delay each other.
    package var unknownHostLookups = 16
    /// The maximum number of concurrent look-ups of names that only a known service can have, and that has not answered
    /// yet.
    package var unprovenLookups = 8

    package init() {}
}
