import Foundation
import Testing

@testable import BelfryServices

@Suite("Many callers at once")
struct RateLimiterTests {
    @Test("SEC-2: each has its own bucket")
    func separate() {
        let limiter = RateLimiter<String>(RateLimit(perMinute: 60, burst: 3), maximumCount: 100)
        for key in ["a", "b", "c"] {
            let responses = (0..<5).map { _ in limiter.take(key, now: ServiceWorld.epoch) }
            #expect(responses == [nil, nil, nil, 1, 1])
        }
        #expect(limiter.take("a", now: ServiceWorld.epoch.addingTimeInterval(1)) == nil)
        #expect(limiter.take("b", now: ServiceWorld.epoch.addingTimeInterval(0.5)) == 1)
    }

    @Test("SEC-2: any number of callers uses only the limiter's memory", arguments: [1, 2, 10, 1_000])
    func bounded(maximum: Int) {
        let limiter = RateLimiter<Int>(RateLimit(perMinute: 60, burst: 1), maximumCount: maximum)
        var largest = 0
        for key in 0..<5_000 {
            _ = limiter.take(key, now: ServiceWorld.epoch)
            largest = max(largest, limiter.count)
        }
        #expect(largest <= max(1, maximum))
    }

    @Test("SEC-2: a steady caller is not evicted by other callers")
    func remembered() {
        let limiter = RateLimiter<Int>(RateLimit(perMinute: 1, burst: 1), maximumCount: 100)
        #expect(limiter.take(-1, now: ServiceWorld.epoch) == nil)
        for key in 0..<5_000 {
            _ = limiter.take(key, now: ServiceWorld.epoch)
            if key % 10 == 0 { #expect(limiter.take(-1, now: ServiceWorld.epoch) != nil) }
        }
    }

    @Test("REL-7: who no longer calls is forgotten once the bucket is full again, and not before")
    func forgotten() {
        let quota = Quota(perMinute: 60, perDay: 100)
        let limiter = RateLimiter<Int>(quota, maximumCount: 100_000)
        var now = ServiceWorld.epoch
        // Half of the day's amount flows in again within half a day.
        #expect((0..<50).allSatisfy { _ in limiter.take(-1, now: now) == nil })
        for key in 0..<1_000 { #expect(limiter.take(key, now: now) == nil) }
        #expect(limiter.count == 1_001)
        for _ in 0..<8 {
            now += RateLimiter<Int>.generation
            #expect(limiter.take(-2, now: now) == nil)
        }
        // One call of a hundred a day is full again after 864 seconds.
        #expect(limiter.count == 2)
        #expect((0..<60).count { _ in limiter.take(-1, now: now) == nil } == 52)
    }

    @Test("SEC-2: an old debt of others brings no caller a fresh bucket earlier")
    func debts() {
        let limiter = RateLimiter<String>(Quota(perMinute: 100, perDay: 100), maximumCount: 8)
        let start = ServiceWorld.epoch
        for key in ["a", "b"] { #expect(limiter.take(key, now: start) == nil) }
        #expect(limiter.take("c", now: start + 300) == nil)
        #expect((0..<100).allSatisfy { _ in limiter.take("k", now: start + 301) == nil })
        #expect(limiter.take("k", now: start + 600) != nil)
        #expect(limiter.take("d", now: start + 601) == nil)
        #expect(limiter.take("k", now: start + 602) != nil)
        #expect(limiter.count <= 8)
    }

    @Test("SEC-2: time alone frees nobody of a debt, however many owe")
    func debtsOfMany() {
        let limiter = RateLimiter<Int>(Quota(perMinute: 100, perDay: 100), maximumCount: 200)
        for key in 0..<50 {
            for _ in 0..<100 { #expect(limiter.take(key, now: ServiceWorld.epoch) == nil) }
        }
        for step in 1...6 {
            let now = ServiceWorld.epoch + Double(step) * RateLimiter<Int>.generation
            _ = limiter.take(-1, now: now)
            #expect(limiter.count <= 200)
        }
        let now = ServiceWorld.epoch + 6 * RateLimiter<Int>.generation
        // Two of a hundred a day have come back in half an hour.
        let granted = (0..<50).map { key in (0..<5).count { _ in limiter.take(key, now: now) == nil } }
        #expect(granted.allSatisfy { $0 == 2 }, "\(granted)")
    }

    @Test("SEC-2: however many call at the same time, each grant is used once")
    func concurrent() async {
        let limiter = RateLimiter<String>(RateLimit(perMinute: 1, burst: 50), maximumCount: 100)
        let granted = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask { (0..<20).count(where: { _ in limiter.take("a", now: ServiceWorld.epoch) == nil }) }
            }
            return await group.reduce(0, +)
        }
        #expect(granted == 50)
    }
}
