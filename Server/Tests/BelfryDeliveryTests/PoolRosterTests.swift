import BelfryPush
import BelfryServerTestSupport
import NIOCore
import Testing

@testable import BelfryDelivery

@Suite("Which pools there are")
struct PoolRosterTests {
    private static func route(_ number: Int, isFromDevice: Bool = true) throws -> PoolRoute {
        PoolRoute(
            sender: "sender", endpoint: try PushEndpoint("https://push\(number).example.com"), trustRoots: [],
            isFromDevice: isFromDevice
        )
    }

    private static func limits(pools: Int, idle: TimeAmount = .minutes(5)) -> PoolLimits {
        var limits = PoolLimits()
        limits.devicePools = pools
        limits.idleTime = idle
        return limits
    }

    private static func time(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    @Test("PUSH-4: a pool goes when nobody has used it for the idle time, and not a moment before")
    func idle() throws {
        var roster = PoolRoster<Int>(limits: Self.limits(pools: 10))
        let route = try Self.route(1)
        roster.add(1, for: route, at: Self.time(0))
        _ = roster.begin(route, at: Self.time(0))
        #expect(roster.removeIdle(at: Self.time(10_000)).isEmpty, "it is busy")
        roster.end(route, begunAt: Self.time(10_000), isAnswered: true, now: Self.time(10_000))
        #expect(roster.removeIdle(at: Self.time(10_299)).isEmpty)
        #expect(roster[route] == 1)
        #expect(roster.removeIdle(at: Self.time(10_300)) == [1])
        #expect(roster[route] == nil && roster.count == 0 && roster.fromDevices == 0)
    }

    @Test("SEC-5: for one more service the one that was idle for longest goes; when all are busy there is no room")
    func leastRecentlyUsed() throws {
        var roster = PoolRoster<Int>(limits: Self.limits(pools: 3))
        let routes = try (0..<4).map { try Self.route($0) }
        for number in 0..<3 { roster.add(number, for: routes[number], at: Self.time(Int64(number))) }
        // The first was used last, the second is busy.
        _ = roster.begin(routes[0], at: Self.time(10))
        roster.end(routes[0], begunAt: Self.time(11), isAnswered: true, now: Self.time(11))
        _ = roster.begin(routes[1], at: Self.time(3))
        #expect(Self.closed(&roster, routes[3]) == .free(2))
        roster.add(3, for: routes[3], at: Self.time(12))
        _ = roster.begin(routes[3], at: Self.time(12))
        _ = roster.begin(routes[0], at: Self.time(12))
        #expect(Self.closed(&roster, try Self.route(9)) == .none)
        #expect(roster.count == 3)
    }

    @Test("SEC-5: services that an operator named neither take part in the bound nor go for it")
    func operators() throws {
        var roster = PoolRoster<Int>(limits: Self.limits(pools: 1))
        for number in 0..<20 {
            let route = try Self.route(number, isFromDevice: false)
            #expect(Self.closed(&roster, route) == .free(nil))
            roster.add(number, for: route, at: Self.time(0))
        }
        let device = try Self.route(100)
        #expect(Self.closed(&roster, device) == .free(nil))
        roster.add(100, for: device, at: Self.time(50))
        #expect(Self.closed(&roster, try Self.route(101)) == .free(100))
        #expect(roster.count == 20 && roster.fromDevices == 0)
    }

    @Test("SEC-5: whatever happens, pools of devices stay within the bound and no busy one goes", arguments: 0..<20)
    func anyOrder(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let limit = Int.random(in: 1...6, using: &random)
        var roster = PoolRoster<PoolRoute>(limits: Self.limits(pools: limit, idle: .seconds(20)))
        let routes = try (0..<12).map { try Self.route($0, isFromDevice: $0 > 2) }
        var underWay: [PoolRoute: Int] = [:]
        for second in 0..<Int64(500) {
            let now = Self.time(second)
            let route = routes[Int.random(in: routes.indices, using: &random)]
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                if roster[route] == nil {
                    guard case .free(let closing) = roster.makeRoom(for: route) else {
                        let busy = underWay.filter { $0.key.isFromDevice && $0.value > 0 }
                        #expect(busy.count == limit, "there was room")
                        continue
                    }
                    if let closing { #expect(underWay[closing, default: 0] == 0) }
                    roster.add(route, for: route, at: now)
                }
                _ = roster.begin(route, at: now)
                underWay[route, default: 0] += 1
            case 2:
                guard let busy = underWay.first(where: { $0.value > 0 })?.key else { continue }
                roster.end(busy, begunAt: now, isAnswered: true, now: now)
                underWay[busy, default: 0] -= 1
            default:
                for gone in roster.removeIdle(at: now) { #expect(underWay[gone, default: 0] == 0) }
            }
            #expect(roster.fromDevices <= limit)
            for (route, count) in underWay where count > 0 { #expect(roster[route] == route) }
        }
    }

    /// What room was made, in a form that compares.
    private enum Room: Equatable {
        case free(Int?)
        case none
    }

    private static func closed(_ roster: inout PoolRoster<Int>, _ route: PoolRoute) -> Room {
        switch roster.makeRoom(for: route) {
        case .free(let closing): .free(closing)
        case .none: .none
        }
    }
}
