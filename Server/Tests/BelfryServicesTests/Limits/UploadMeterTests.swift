import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// SEC-9: who pays for what calls bring.
@Suite("What uploads cost, and who pays")
struct UploadMeterTests {
    /// A device's bytes, and the unauthenticated bytes from an address: 279,620 a minute.
    private static let few = RequestRates(perDevice: 20, limitsLoopback: false)
    /// An app's limits: 1 MiB and 5,000 events a minute; an address's: 131,072 bytes and 625 events.
    private static let small = RequestRates(
        perDevice: 6_000, limitsLoopback: false, app: AppBudget(mebibytesPerMinute: 1)
    )

    private static func limits(_ world: ServiceWorld, _ rates: RequestRates) -> RequestLimits {
        RequestLimits(rates: rates, proxies: .none, now: world.environment.now, metrics: world.metrics)
    }

    private static func network(_ limits: RequestLimits, _ text: String) throws -> IPAddress? {
        let address = try #require(IPAddress(text))
        return limits.network(peer: address, forwardedFor: nil)
    }

    /// The name of the limit that refused; nil for what was granted.
    private static func rejected(_ act: () throws -> Void) -> String? {
        do {
            try act()
            return nil
        } catch ServiceError.tooManyCalls(let limit, _, _) {
            return limit
        } catch {
            return "\(error)"
        }
    }

    @Test("SEC-9: one address can use an eighth of its app's bytes, with any number of devices; not loopback")
    func bytesOfAddress() async throws {
        let world = try await ServiceWorld()
        let limits = Self.limits(world, Self.small)
        func upload(_ number: Int, from text: String) async throws -> String? {
            let caller = try await ServiceDevice.started(world, number).authenticated()
            let meter = limits.meter(of: caller, from: try Self.network(limits, text))
            return Self.rejected {
                try meter.admit(bytes: 10_000)
                try meter.admitRead(bytes: 10_000)
            }
        }
        for number in 1...13 { #expect(try await upload(number, from: "203.0.113.5") == nil) }
        #expect(try await upload(14, from: "203.0.113.5") == "addressBytes")
        #expect(try await upload(15, from: "203.0.113.6") == nil)
        for number in 16...40 { #expect(try await upload(number, from: "127.0.0.1") == nil) }
        let metrics = world.metrics.prometheusText()
        #expect(metrics.contains(#"belfry_requests_limited_total{limit="addressBytes"} 1"#))
        world.clock.advance(by: 60)
        #expect(try await upload(41, from: "203.0.113.5") == nil)
    }

    @Test("SEC-9: one address can use an eighth of its app's events; rejected ones cost the app nothing")
    func eventsOfAddress() async throws {
        let world = try await ServiceWorld()
        let limits = Self.limits(world, Self.small)
        let caller = try await ServiceDevice.started(world, 1).authenticated()
        let near = limits.meter(of: caller, from: try Self.network(limits, "203.0.113.5"))
        let far = limits.meter(of: caller, from: try Self.network(limits, "203.0.113.6"))
        try near.admitRead(bytes: 100_000, events: 600)
        for _ in 0..<20 {
            #expect(Self.rejected { try near.admitRead(bytes: 100_000, events: 30) } == "addressEvents")
            #expect(!near.grants(bytes: 10, events: 30))
        }
        for _ in 0..<9 { try far.admitRead(bytes: 100_000, events: 60) }
        #expect(Self.rejected { try far.admitRead(bytes: 100_000) } == "appBytes")
    }

    @Test("SEC-9: unreadable bodies cost their app nothing")
    func rubbish() async throws {
        let world = try await ServiceWorld()
        let limits = Self.limits(world, Self.small)
        let caller = try await ServiceDevice.started(world, 1).authenticated()
        let meter = limits.meter(of: caller, from: nil)
        for _ in 0..<50 { try meter.admit(bytes: 100_000) }
        for _ in 0..<10 { try meter.admitRead(bytes: 100_000) }
        #expect(Self.rejected { try meter.admitRead(bytes: 100_000) } == "appBytes")
    }

    @Test("SEC-9: calls by a known id alone use up the bytes of their address, and none of the owner's")
    func unauthenticated() async throws {
        let world = try await ServiceWorld()
        let limits = Self.limits(world, Self.few)
        func upload(from text: String) throws -> String? {
            var caller = try ServiceDevice(world, 1).caller()
            caller.network = try Self.network(limits, text)
            let meter = limits.meter(of: caller)
            return Self.rejected { try meter.admit(bytes: 200_000) }
        }
        let excesses = [try upload(from: "203.0.113.5"), try upload(from: "203.0.113.5")]
        #expect(excesses == [nil, "strangerBytes"])
        let owner = try upload(from: "203.0.113.6")
        #expect(owner == nil)
        // Where addresses are not counted the id is.
        let here = [try upload(from: "127.0.0.1"), try upload(from: "127.0.0.1")]
        #expect(here == [nil, "deviceBytes"])
    }

    @Test("SEC-9: what the database cannot accept now costs nothing, and what it refuses for good does")
    func notStored() async throws {
        let world = try await ServiceWorld()
        let limits = Self.limits(world, Self.few)
        let caller = try await ServiceDevice.started(world, 1).authenticated()
        let meter = limits.meter(of: caller, from: nil)
        for error in [StoreError.tryAgain(reason: "locked"), .full(reason: "no room"), .tryAgain(reason: "locked")] {
            try meter.admit(bytes: 200_000)
            await #expect(throws: error) {
                try await meter.storing(bytes: 200_000, events: 600) { () throws -> Int in throw error }
            }
        }
        try meter.admit(bytes: 200_000)
        await #expect(throws: StoreError.rejected(reason: "rule")) {
            try await meter.storing(bytes: 200_000, events: 600) { () throws -> Int in
                throw StoreError.rejected(reason: "rule")
            }
        }
        #expect(Self.rejected { try meter.admit(bytes: 200_000) } == "deviceBytes")
        #expect(Self.rejected { try meter.admitRead(bytes: 10, events: 600) } == "deviceEvents")
    }
}
