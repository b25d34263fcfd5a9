import BelfryPush
import NIOCore

/// Which pools there are, which of them are busy, and which have to go. A decision and no I/O.
struct PoolRegistry<Pool> {
    /// Whether one more pool may be made.
    enum Room {
        /// It may; the one to close for it.
        case free(closing: Pool?)
        /// There are as many as there may be, and all of them are busy.
        case none
    }

    private struct Entry {
        let pool: Pool
        /// Sends of which not all requests are answered.
        var underWay = 0
        var lastUsed: NIODeadline
        var health = RouteHealth()
    }

    let limits: PoolLimits
    private var entries: [PushRoute: Entry] = [:]
    /// How many of them a device named.
    private(set) var fromDevices = 0
    /// How many of those are of strangers, without the ones whose answer alone is missing.
    private(set) var ofStrangers = 0
    /// How many are of services whose answer alone is missing.
    private(set) var ofUnproven = 0

    init(limits: PoolLimits) {
        self.limits = limits
    }

    var count: Int { entries.count }

    subscript(route: PushRoute) -> Pool? { entries[route]?.pool }

    /// All that there are, in no order.
    var pools: [(route: PushRoute, pool: Pool)] { entries.map { ($0.key, $0.value.pool) } }

    /// Looks for room, and takes the pool out that is to be closed for it: the one that was idle for longest, a stranger's
    /// before any other's, whoever comes. Strangers who have their share make room among themselves alone, and so do
    /// services whose answer is missing.
    mutating func makeRoom(for route: PushRoute) -> Room {
        guard route.isFromDevice else { return .free(closing: nil) }
        let isShareSpent =
            switch route.share {
            case .known: false
            case .unproven: ofUnproven >= limits.unprovenPools
            case .strangers: ofStrangers >= limits.strangerPools
            }
        guard isShareSpent || fromDevices >= limits.devicePools else { return .free(closing: nil) }
        let idle = entries.filter { key, entry in
            entry.underWay == 0 && (isShareSpent ? key.share == route.share : key.isFromDevice)
        }
        let strangers = idle.filter { $0.key.isOfStranger }
        let candidates = strangers.isEmpty ? idle : strangers
        guard let oldest = candidates.min(by: { $0.value.lastUsed < $1.value.lastUsed }) else { return .none }
        return .free(closing: remove(oldest.key))
    }

    mutating func add(_ pool: Pool, for route: PushRoute, at now: NIODeadline) {
        entries[route] = Entry(pool: pool, lastUsed: now)
        tally(route, by: 1)
    }

    /// A send begins; until it has ended, its pool stays.
    ///
    /// - Returns: false when it may not: a device named the service, and it did not answer.
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

    /// Takes out those that nobody has used for so long.
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
        case .strangers: ofStrangers += change
        }
    }
}

/// Whose places and look-ups a route takes that a device named (SEC-5).
enum RouteShare: Hashable, Sendable {
    case known
    /// Services whose answer alone is missing.
    case unproven
    case strangers
}

extension PushRoute {
    var share: RouteShare { isUnproven ? .unproven : isOfStranger ? .strangers : .known }
}

/// How many pools there are, and how long.
package struct PoolLimits: Sendable {
    /// Pools whose endpoint a device named; when all of them are busy, requests to yet others are answered
    /// `notProcessed`. Those that an operator named are few, and have no limit.
    package var devicePools = 256
    /// Those of them that may be at strangers' hosts: half with `unprovenPools`, so that the services of browsers
    /// always have as many.
    package var strangerPools = 96
    /// Those of them at names that only a known service can have, and that has not answered yet.
    package var unprovenPools = 32
    /// How long a pool keeps its connections without a request.
    package var idleTime = TimeAmount.minutes(5)
    /// Lookups of names that devices gave, at once.
    package var deviceLookups = 16
    /// Lookups of strangers' names, at once: a name may be made to take long, and holds up none but its like.
    package var strangerLookups = 16
    /// Lookups of names that only a known service can have, and that has not answered yet, at once.
    package var unprovenLookups = 8

    package init() {}
}
