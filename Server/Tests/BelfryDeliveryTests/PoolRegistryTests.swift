import BelfryPush
import BelfryServerTestSupport
import BelfryTestSupport
import NIOCore
import Testing

@testable import BelfryDelivery

@Suite("The registry of pools")
struct PoolRegistryTests {
    private static func route(
        _ number: Int, isFromDevice: Bool = true, isAtUnknownHost: Bool = false, isUnproven: Bool = false
    ) throws -> PushRoute {
        PushRoute(
            sender: "sender", provider: .webpush, endpoint: try PushEndpoint("https://push\(number).example.com"),
            trustRoots: [], isFromDevice: isFromDevice, isAtUnknownHost: isAtUnknownHost,
            isUnproven: isUnproven
        )
    }

    private static func limits(
        pools: Int, unknownHosts: Int = .max, idle: TimeAmount = .minutes(5)
    ) -> PoolLimits {
        var limits = PoolLimits()
        limits.devicePools = pools
        limits.unknownHostPools = unknownHosts
        limits.idleTime = idle
        return limits
    }

    private static func time(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    @Test("PUSH-4: a pool that is unused for the idle time is closed, and not a moment before")
    func idle() throws {
        var registry = PoolRegistry<Int>(limits: Self.limits(pools: 10))
        let route = try Self.route(1)
        registry.add(1, for: route, at: Self.time(0))
        _ = registry.begin(route, at: Self.time(0))
        #expect(registry.removeIdle(at: Self.time(10_000)).isEmpty, "it is busy")
        registry.end(route, begunAt: Self.time(10_000), isAnswered: true, now: Self.time(10_000))
        #expect(registry.removeIdle(at: Self.time(10_299)).isEmpty)
        #expect(registry[route] == 1)
        #expect(registry.removeIdle(at: Self.time(10_300)) == [1])
        #expect(registry[route] == nil && registry.count == 0 && registry.fromDevices == 0)
    }

    @Test("SEC-5: one more service replaces the one that was idle longest; while all are busy there is no room")
    func leastRecentlyUsed() throws {
        var registry = PoolRegistry<Int>(limits: Self.limits(pools: 3))
        let routes = try (0..<4).map { try Self.route($0) }
        for number in 0..<3 { registry.add(number, for: routes[number], at: Self.time(Int64(number))) }
        // The first was used last, the second is busy.
        _ = registry.begin(routes[0], at: Self.time(10))
        registry.end(routes[0], begunAt: Self.time(11), isAnswered: true, now: Self.time(11))
        _ = registry.begin(routes[1], at: Self.time(3))
        #expect(Self.closed(&registry, routes[3]) == .free(2))
        registry.add(3, for: routes[3], at: Self.time(12))
        _ = registry.begin(routes[3], at: Self.time(12))
        _ = registry.begin(routes[0], at: Self.time(12))
        #expect(Self.closed(&registry, try Self.route(9)) == .none)
        #expect(registry.count == 3)
    }

    @Test("SEC-5: services that an operator configured neither count against the limit nor are replaced")
    func operators() throws {
        var registry = PoolRegistry<Int>(limits: Self.limits(pools: 1))
        for number in 0..<20 {
            let route = try Self.route(number, isFromDevice: false)
            #expect(Self.closed(&registry, route) == .free(nil))
            registry.add(number, for: route, at: Self.time(0))
        }
        let device = try Self.route(100)
        #expect(Self.closed(&registry, device) == .free(nil))
        registry.add(100, for: device, at: Self.time(50))
        #expect(Self.closed(&registry, try Self.route(101)) == .free(100))
        #expect(registry.count == 20 && registry.fromDevices == 0)
    }

    @Test("SEC-5: services at unknown hosts take half of the places at most, and make room among themselves")
    func unknownHosts() throws {
        #expect(PoolLimits().unknownHostPools + PoolLimits().unprovenPools == PoolLimits().devicePools / 2)
        var registry = PoolRegistry<Int>(limits: Self.limits(pools: 4, unknownHosts: 2))
        let unknown = try (0..<4).map { try Self.route($0, isAtUnknownHost: true) }
        let known = try (10..<13).map { try Self.route($0) }
        registry.add(10, for: known[0], at: Self.time(0))
        for number in 0..<2 {
            #expect(Self.closed(&registry, unknown[number]) == .free(nil))
            registry.add(number, for: unknown[number], at: Self.time(1))
            _ = registry.begin(unknown[number], at: Self.time(Int64(1 + number)))
        }
        // One place is left, and one pool has been idle for longer than all: neither is at an unknown host.
        #expect(Self.closed(&registry, unknown[2]) == .none)
        #expect(Self.closed(&registry, known[1]) == .free(nil))
        registry.add(11, for: known[1], at: Self.time(3))
        registry.end(unknown[1], begunAt: Self.time(2), isAnswered: true, now: Self.time(4))
        #expect(Self.closed(&registry, unknown[2]) == .free(1))
        registry.add(2, for: unknown[2], at: Self.time(5))
        #expect(registry.count == 4 && registry.atUnknownHosts == 2)
        // The others take any place that is idle, one at an unknown host first.
        #expect(Self.closed(&registry, known[2]) == .free(2))
        registry.add(12, for: known[2], at: Self.time(6))
        #expect(Self.closed(&registry, try Self.route(13)) == .free(10))
        #expect(registry.atUnknownHosts == 1)
    }

    @Test(
        "SEC-5: services whose answer is missing have places that no unknown host takes, and make room among themselves"
    )
    func unproven() throws {
        var limits = Self.limits(pools: 6, unknownHosts: 2)
        limits.unprovenPools = 1
        var registry = PoolRegistry<Int>(limits: limits)
        for number in 0..<2 {
            let unknown = try Self.route(number, isAtUnknownHost: true)
            registry.add(number, for: unknown, at: Self.time(0))
            _ = registry.begin(unknown, at: Self.time(0))
        }
        let services = try (10..<12).map { try Self.route($0, isAtUnknownHost: true, isUnproven: true) }
        #expect(Self.closed(&registry, try Self.route(2, isAtUnknownHost: true)) == .none)
        #expect(Self.closed(&registry, services[0]) == .free(nil))
        registry.add(10, for: services[0], at: Self.time(1))
        _ = registry.begin(services[0], at: Self.time(1))
        #expect(registry.atUnknownHosts == 2 && registry.ofUnproven == 1 && registry.fromDevices == 3)
        // Another waits for it alone, and no unknown host gets its place.
        #expect(Self.closed(&registry, services[1]) == .none)
        registry.end(services[0], begunAt: Self.time(1), isAnswered: true, now: Self.time(2))
        #expect(Self.closed(&registry, try Self.route(2, isAtUnknownHost: true)) == .none)
        #expect(Self.closed(&registry, services[1]) == .free(10))
        #expect(registry.atUnknownHosts == 2 && registry.ofUnproven == 0 && registry.fromDevices == 2)
        // Known by then, it has a route of its own.
        #expect(Self.closed(&registry, try Self.route(10)) == .free(nil))
    }

    @Test(
        "SEC-5: whoever comes closes an idle pool of an unknown host before those of browsers",
        arguments: [false, true])
    func unknownHostsFirst(isAtUnknownHost: Bool) throws {
        var registry = PoolRegistry<Int>(limits: Self.limits(pools: 4, unknownHosts: 2))
        for number in 0..<3 { registry.add(number, for: try Self.route(number), at: Self.time(Int64(number))) }
        registry.add(3, for: try Self.route(3, isAtUnknownHost: true), at: Self.time(3))
        let newcomer = try Self.route(4, isAtUnknownHost: isAtUnknownHost)
        // All are idle, and the one at the unknown host was used last.
        #expect(Self.closed(&registry, newcomer) == .free(3))
        registry.add(4, for: newcomer, at: Self.time(4))
        _ = registry.begin(newcomer, at: Self.time(4))
        // None at an unknown host is idle, and the share of unknown hosts is not spent.
        #expect(Self.closed(&registry, try Self.route(5, isAtUnknownHost: true)) == .free(0))
        #expect(registry.fromDevices == 3 && registry.atUnknownHosts == (isAtUnknownHost ? 1 : 0))
    }

    @Test("SEC-5: in any sequence, pools of devices stay within the limit and no busy one is closed", arguments: 0..<20)
    func anyOrder(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let limit = Int.random(in: 1...6, using: &random)
        let share = Int.random(in: 1...limit, using: &random)
        let limits = Self.limits(pools: limit, unknownHosts: share, idle: .seconds(20))
        var registry = PoolRegistry<PushRoute>(limits: limits)
        let routes = try (0..<12).map { try Self.route($0, isFromDevice: $0 > 2, isAtUnknownHost: $0 > 6) }
        var underWay: [PushRoute: Int] = [:]
        for second in 0..<Int64(500) {
            let now = Self.time(second)
            let route = routes[Int.random(in: routes.indices, using: &random)]
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                if registry[route] == nil {
                    guard case .free(let closing) = registry.makeRoom(for: route) else {
                        let busy = underWay.filter { $0.key.isFromDevice && $0.value > 0 }
                        let isShareSpent =
                            route.isAtUnknownHost && busy.count(where: { $0.key.isAtUnknownHost }) == share
                        #expect(busy.count == limit || isShareSpent, "there was room")
                        continue
                    }
                    if let closing { #expect(underWay[closing, default: 0] == 0) }
                    registry.add(route, for: route, at: now)
                }
                _ = registry.begin(route, at: now)
                underWay[route, default: 0] += 1
            case 2:
                guard let busy = underWay.first(where: { $0.value > 0 })?.key else { continue }
                registry.end(busy, begunAt: now, isAnswered: true, now: now)
                underWay[busy, default: 0] -= 1
            default:
                for gone in registry.removeIdle(at: now) { #expect(underWay[gone, default: 0] == 0) }
            }
            #expect(registry.fromDevices <= limit && registry.atUnknownHosts <= share)
            for (route, count) in underWay where count > 0 { #expect(registry[route] == route) }
        }
    }

    /// The result of making room, in a comparable form.
    private enum Room: Equatable {
        case free(Int?)
        case none
    }

    private static func closed(_ registry: inout PoolRegistry<Int>, _ route: PushRoute) -> Room {
        switch registry.makeRoom(for: route) {
        case .free(let closing): .free(closing)
        case .none: .none
        }
    }
}
