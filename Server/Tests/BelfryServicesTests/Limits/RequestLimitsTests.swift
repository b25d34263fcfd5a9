import BelfryModel
import Foundation
import Testing

@testable import BelfryServices

@Suite("Limits of requests")
struct RequestLimitsTests {
    private static let slow = RequestRates(perDevice: 20, limitsLoopback: false)

    private static func limits(
        _ world: ServiceWorld, _ rates: RequestRates? = slow, proxies: TrustedProxies = .none
    ) -> RequestLimits {
        RequestLimits(rates: rates, proxies: proxies, now: world.environment.now, metrics: world.metrics)
    }

    @Test("SEC-2: a device is refused after its burst, with the limit's name and a wait; then it may call again")
    func devices() async throws {
        let world = try await ServiceWorld()
        let limits = Self.limits(world)
        let (one, other) = (DeviceID(world.environment.uuid()), DeviceID(world.environment.uuid()))
        for _ in 0..<20 { try limits.admit(one, of: world.app) }
        #expect(throws: Self.error("device", "A device may send at most 20 requests a minute.", wait: 3)) {
            try limits.admit(one, of: world.app)
        }
        try limits.admit(other, of: world.app)
        world.clock.advance(by: 3)
        try limits.admit(one, of: world.app)
        #expect(world.metrics.prometheusText().contains(#"belfry_requests_limited_total{limit="device"} 1"#))
    }

    @Test("SEC-2: the same client id in another app is another device")
    func apps() async throws {
        let world = try await ServiceWorld()
        let other = try await world.apps.create(code: "other", name: "Other").app
        let limits = Self.limits(world)
        let client = DeviceID(world.environment.uuid())
        for app in [world.app, other] {
            for _ in 0..<20 { try limits.admit(client, of: app) }
            #expect(throws: ServiceError.self) { try limits.admit(client, of: app) }
        }
    }

    @Test("SEC-2: an admin key is limited alone")
    func keys() async throws {
        let world = try await ServiceWorld()
        let limits = Self.limits(world)
        let root = try await world.access.principal(bearer: TestKeys.rootKey)
        let own = try await world.access.principal(bearer: world.apiKey)
        for _ in 0..<20 { try limits.admit(root) }
        #expect(throws: Self.error("adminKey", "An admin key may send at most 40 requests a minute.", wait: 2)) {
            try limits.admit(root)
        }
        try limits.admit(own)
    }

    @Test("SEC-2: an address's new devices a minute are limited; existing ones continue")
    func newDevices() async throws {
        let world = try await ServiceWorld()
        let limits = Self.limits(world)
        let address = try #require(IPAddress("203.0.113.5"))
        func register(_ client: DeviceID, from address: IPAddress) async throws {
            var caller = Caller(
                app: world.app, client: client, state: nil, token: nil,
                order: .init(header: nil, now: world.clock.now, maximumAhead: 300)
            )
            caller.newDeviceQuota = limits.newDeviceQuota(peer: address, forwardedFor: nil)
            _ = try await world.clients.putProperties(SystemProperties(), osPushEnabled: nil, caller: caller)
        }
        let first = DeviceID(world.environment.uuid())
        try await register(first, from: address)
        for _ in 1..<10 { try await register(DeviceID(world.environment.uuid()), from: address) }
        let rejected = DeviceID(world.environment.uuid())
        #expect(await errorCode { try await register(rejected, from: address) } == "tooManyRequests")
        let app = world.app.id
        #expect(try await world.database.read { try $0.devices.find(app: app, client: rejected) } == nil)
        try await register(first, from: address)
        try await register(DeviceID(world.environment.uuid()), from: try #require(IPAddress("203.0.113.6")))
        world.clock.advance(by: 6)
        try await register(rejected, from: address)
    }

    @Test("SEC-2: the addresses of one IPv6 network count together")
    func ipv6() async throws {
        let world = try await ServiceWorld()
        let limits = Self.limits(world)
        for number in 0..<10 {
            let address = try #require(IPAddress("2001:db8::\(number):1"))
            try limits.newDeviceQuota(peer: address, forwardedFor: nil)?.admit()
        }
        let last = try #require(IPAddress("2001:db8::99"))
        let newDeviceQuota = try #require(limits.newDeviceQuota(peer: last, forwardedFor: nil))
        #expect(throws: ServiceError.self) { try newDeviceQuota.admit() }
        let neighbour = try #require(IPAddress("2001:db8:0:1::1"))
        try limits.newDeviceQuota(peer: neighbour, forwardedFor: nil)?.admit()
    }

    @Test("SEC-2: a new device counts once, however often its write runs")
    func onceEach() async throws {
        let world = try await ServiceWorld()
        let limits = Self.limits(world)
        let address = try #require(IPAddress("203.0.113.7"))
        for _ in 0..<10 {
            let newDeviceQuota = try #require(limits.newDeviceQuota(peer: address, forwardedFor: nil))
            for _ in 0..<3 { try newDeviceQuota.admit() }
        }
        let rejected = try #require(limits.newDeviceQuota(peer: address, forwardedFor: nil))
        // The rejection remains, even if a place is free by then.
        for _ in 0..<2 {
            #expect(throws: ServiceError.self) { try rejected.admit() }
            world.clock.advance(by: 60)
        }
        try limits.newDeviceQuota(peer: address, forwardedFor: nil)?.admit()
    }

    @Test("SEC-2: loopback may create any number of devices, unless a rate is set")
    func loopback() async throws {
        let world = try await ServiceWorld()
        #expect(!Self.countsLoopback(Self.limits(world)))
        #expect(Self.countsLoopback(Self.limits(world, RequestRates(perDevice: 20, limitsLoopback: true))))
        // Behind a trusted proxy on this machine it is the client's address that counts.
        let proxied = Self.limits(world, proxies: try #require(TrustedProxies("127.0.0.1")))
        #expect(Self.countsLoopback(proxied, "203.0.113.5"))
        #expect(!Self.countsLoopback(proxied))
    }

    private static func countsLoopback(_ limits: RequestLimits, _ forwardedFor: String? = nil) -> Bool {
        limits.newDeviceQuota(peer: .loopback, forwardedFor: forwardedFor) != nil
    }

    @Test("SEC-2: without rates nobody is counted")
    func off() async throws {
        let world = try await ServiceWorld()
        let limits = Self.limits(world, nil)
        let client = DeviceID(world.environment.uuid())
        for _ in 0..<5_000 { try limits.admit(client, of: world.app) }
        #expect(!Self.countsLoopback(limits))
    }

    private static func error(_ limit: String, _ rule: String, wait: Int) -> ServiceError {
        .tooManyCalls(limit: limit, message: "\(rule) Try again in \(wait) s.", retryAfter: wait)
    }
}
