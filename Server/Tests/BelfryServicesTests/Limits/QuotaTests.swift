import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryServices

@Suite("Quotas")
struct QuotaTests {
    @Test("SEC-9: a weight is charged in full, and at most a full bucket")
    func weights() {
        let limit = RateLimit(perMinute: 600)
        var bucket = TokenBucket(limit, now: ServiceWorld.epoch)
        let waits = [
            bucket.take(limit, 500, now: ServiceWorld.epoch), bucket.take(limit, 101, now: ServiceWorld.epoch),
            bucket.take(limit, 100, now: ServiceWorld.epoch), bucket.take(limit, 10_000, now: ServiceWorld.epoch),
            bucket.take(limit, 10_000, now: ServiceWorld.epoch.addingTimeInterval(60)),
        ]
        #expect(waits == [nil, 1, nil, 60, nil])
    }

    @Test("SEC-9: a day's amount refills over a day, at any pace of calls", arguments: Endurance.seeds(20, brief: 5))
    func days(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let limit = RateLimit(perDay: Int.random(in: 1_000...100_000, using: &dice))
        var bucket = TokenBucket(limit, now: ServiceWorld.epoch)
        _ = bucket.take(limit, .max, now: ServiceWorld.epoch)
        var now = ServiceWorld.epoch
        var granted = 0
        let end = ServiceWorld.epoch.addingTimeInterval(86_400)
        while now < end {
            now.addTimeInterval(Double(Int.random(in: 1...20_000, using: &dice)) / 1_000)
            let weight = Int.random(in: 1...20, using: &dice)
            if bucket.take(limit, weight, now: min(now, end)) == nil { granted += weight }
        }
        #expect(granted <= limit.amount)
        while bucket.take(limit, 1, now: end) == nil { granted += 1 }
        // A tick of the day may still be under way.
        #expect(granted >= limit.amount - limit.amount / 60_000 - 2)
    }

    @Test("SEC-9: what the day's limit rejects does not count for the minute, and a refund restores both")
    func pair() {
        let quota = Quota(perMinute: 10, perDay: 25)
        var bucket = QuotaBucket(quota, now: ServiceWorld.epoch)
        var now = ServiceWorld.epoch
        for _ in 0..<2 {
            let wait = bucket.take(quota, 10, now: now)
            #expect(wait == nil)
            now.addTimeInterval(60)
        }
        // Of the day's quota, little more than five are left.
        let rejected = bucket.take(quota, 10, now: now) ?? 0
        #expect(rejected > 3_600)
        let rest = bucket.take(quota, 5, now: now)
        #expect(rest == nil)
        bucket.putBack(quota, 5)
        let again = bucket.take(quota, 5, now: now)
        #expect(again == nil)
        let last = bucket.take(quota, 1, now: now) ?? 0
        #expect(last > 60)
    }
}
