import BelfryModel
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryServices

/// SEC-2: a call that was counted where it was not answered is counted where it is, and once.
@Suite("Refunded calls")
struct PutBackCallTests {
    @Test("SEC-2: a bucket after a refund is the same as before the call", arguments: Endurance.seeds(20, brief: 5))
    func buckets(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let limit = RateLimit(
            perMinute: Int.random(in: 1...600, using: &dice), burst: Int.random(in: 1...40, using: &dice)
        )
        var now = ServiceWorld.epoch
        var plain = TokenBucket(limit, now: now)
        var lane = plain
        for _ in 0..<500 {
            now.addTimeInterval(Double(Int.random(in: 0...3_000, using: &dice)) / 1_000)
            // Some are granted first and put back, and asked for again a moment later.
            if Bool.random(using: &dice), lane.take(limit, now: now) == nil { lane.putBack(limit) }
            now.addTimeInterval(Double(Int.random(in: 0...40, using: &dice)) / 1_000)
            let waits = (plain.take(limit, now: now), lane.take(limit, now: now))
            #expect(waits.0 == waits.1)
            #expect(plain == lane)
        }
    }

    @Test("SEC-2: no refund makes a bucket fuller than full")
    func full() {
        let limit = RateLimit(perMinute: 60, burst: 3)
        var bucket = TokenBucket(limit, now: ServiceWorld.epoch)
        let first = bucket.take(limit, now: ServiceWorld.epoch)
        #expect(first == nil)
        for _ in 0..<5 { bucket.putBack(limit) }
        let granted = (0..<9).count(where: { _ in bucket.take(limit, now: ServiceWorld.epoch) == nil })
        #expect(granted == 3)
    }

    @Test("SEC-2: a caller that the limiter has evicted gets no refund, and nobody else's bucket changes")
    func limiter() {
        let limiter = RateLimiter<String>(RateLimit(perMinute: 60, burst: 2), maximumCount: 8)
        limiter.putBack("nobody")
        #expect(limiter.count == 0)
        for _ in 0..<10 {
            #expect(limiter.take("a", now: ServiceWorld.epoch) == nil)
            // So many others come that the buckets change their generation.
            for number in 0..<3 { _ = limiter.take("other \(number)", now: ServiceWorld.epoch) }
            limiter.putBack("a")
        }
        #expect(limiter.take("a", now: ServiceWorld.epoch) == nil && limiter.take("a", now: ServiceWorld.epoch) == nil)
        #expect(limiter.take("a", now: ServiceWorld.epoch) == 1)
        #expect(limiter.count <= 8)
    }

    @Test("SEC-2: a grant counts like any other call, and no rejection of it is counted twice")
    func grants() async throws {
        let world = try await ServiceWorld()
        let limits = RequestLimits(
            rates: RequestRates(perDevice: 20, limitsLoopback: false), proxies: .none, now: world.environment.now,
            metrics: world.metrics
        )
        let client = DeviceID(world.environment.uuid())
        for _ in 0..<50 {
            #expect(limits.grants(client, of: world.app))
            limits.takeBack(client, of: world.app)
        }
        for _ in 0..<10 {
            #expect(limits.grants(client, of: world.app))
            try limits.admit(client, of: world.app)
        }
        #expect(!limits.grants(client, of: world.app))
        #expect(throws: ServiceError.self) { try limits.admit(client, of: world.app) }
        #expect(world.metrics.prometheusText().contains(#"belfry_requests_limited_total{limit="device"} 1"#))
        let off = RequestLimits(rates: nil, proxies: .none, now: world.environment.now, metrics: world.metrics)
        for _ in 0..<100 { #expect(off.grants(client, of: world.app)) }
        off.takeBack(client, of: world.app)
    }
}
