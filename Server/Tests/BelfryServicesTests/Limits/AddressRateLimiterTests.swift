import BelfryModel
import Testing

@testable import BelfryServices

@Suite("Limits of addresses")
struct AddressRateLimiterTests {
    private static let limit = RateLimit(perMinute: 10)

    private static func network(_ text: String) throws -> IPAddress {
        try #require(IPAddress(text)).network
    }

    @Test("SEC-2, SEC-9: whoever changes the IPv6 network for each call is granted what eight addresses are")
    func site() throws {
        let limiter = AddressRateLimiter(Self.limit, maximumCount: 1_000)
        var granted = 0
        for index in 0..<400 {
            let network = try Self.network("2001:db8:1:\(String(index, radix: 16))::1")
            for _ in 0..<2 where limiter.take(network, now: ServiceWorld.epoch) == nil { granted += 1 }
        }
        #expect(granted == 10 * AddressRateLimiter.addressesPerSite)
        #expect(limiter.count <= granted, "refused networks take no memory")
        // Neighbours in another network of 48 bits, and IPv4, have their own.
        for text in ["2001:db8:2::1", "203.0.113.5"] {
            #expect(limiter.take(try Self.network(text), now: ServiceWorld.epoch) == nil)
        }
    }

    @Test("SEC-2: one IPv6 network of 64 bits is granted what an IPv4 address is, and what it is refused costs nobody")
    func address() throws {
        let limiter = AddressRateLimiter(Self.limit, maximumCount: 1_000)
        for text in ["2001:db8:1:1::1", "203.0.113.5"] {
            let network = try Self.network(text)
            let granted = (0..<200).count { _ in limiter.take(network, now: ServiceWorld.epoch) == nil }
            #expect(granted == 10)
        }
        // 190 refused calls of the neighbour took nothing from the network of 48 bits.
        var granted = 0
        for index in 2..<100 {
            let network = try Self.network("2001:db8:1:\(String(index, radix: 16))::1")
            if limiter.take(network, now: ServiceWorld.epoch) == nil { granted += 1 }
        }
        #expect(granted == 10 * AddressRateLimiter.addressesPerSite - 10)
    }

    @Test("SEC-2: what is put back counts neither for the address nor for its larger network")
    func putBack() throws {
        let limiter = AddressRateLimiter(Self.limit, maximumCount: 1_000)
        for index in 0..<400 {
            let network = try Self.network("2001:db8:1:\(String(index, radix: 16))::1")
            #expect(limiter.take(network, 10, now: ServiceWorld.epoch) == nil)
            limiter.putBack(network, 10)
        }
    }
}
