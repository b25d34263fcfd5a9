import Foundation
import Testing

@testable import BelfryServices

@Suite("Many callers at once")
struct RateLimiterTests {
    @Test("SEC-2: each has a bucket of its own")
    func separate() {
        let limiter = RateLimiter<String>(RateLimit(perMinute: 60, burst: 3), maximumCount: 100)
        for key in ["a", "b", "c"] {
            let answers = (0..<5).map { _ in limiter.take(key, now: World.epoch) }
            #expect(answers == [nil, nil, nil, 1, 1])
        }
        #expect(limiter.take("a", now: World.epoch.addingTimeInterval(1)) == nil)
        #expect(limiter.take("b", now: World.epoch.addingTimeInterval(0.5)) == 1)
    }

    @Test("SEC-2: strangers without end take no more memory than the limiter has", arguments: [1, 2, 10, 1_000])
    func bounded(maximum: Int) {
        let limiter = RateLimiter<Int>(RateLimit(perMinute: 60, burst: 1), maximumCount: maximum)
        var largest = 0
        for key in 0..<5_000 {
            _ = limiter.take(key, now: World.epoch)
            largest = max(largest, limiter.count)
        }
        #expect(largest <= max(1, maximum))
    }

    @Test("SEC-2: who calls all the while is not forgotten among strangers")
    func remembered() {
        let limiter = RateLimiter<Int>(RateLimit(perMinute: 1, burst: 1), maximumCount: 100)
        #expect(limiter.take(-1, now: World.epoch) == nil)
        for key in 0..<5_000 {
            _ = limiter.take(key, now: World.epoch)
            if key % 10 == 0 { #expect(limiter.take(-1, now: World.epoch) != nil) }
        }
    }

    @Test("SEC-2: however many call at the same time, each grant is given once")
    func concurrent() async {
        let limiter = RateLimiter<String>(RateLimit(perMinute: 1, burst: 50), maximumCount: 100)
        let granted = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask { (0..<20).count(where: { _ in limiter.take("a", now: World.epoch) == nil }) }
            }
            return await group.reduce(0, +)
        }
        #expect(granted == 50)
    }
}
