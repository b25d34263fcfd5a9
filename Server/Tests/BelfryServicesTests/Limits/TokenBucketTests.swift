import BelfryModel
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryServices

@Suite("Token buckets")
struct TokenBucketTests {
    private static func date(_ milliseconds: Int64) -> Date {
        ServiceWorld.epoch.addingTimeInterval(Double(milliseconds) / 1_000)
    }

    private static func limit(_ dice: inout SeededGenerator) -> RateLimit {
        RateLimit(
            perMinute: Int.random(in: 1...5_000, using: &dice), burst: Int.random(in: 1...150, using: &dice)
        )
    }

    @Test(
        "SEC-2: in any period no more is granted than the burst and the rate over that period",
        arguments: Endurance.seeds(20, brief: 5)
    )
    func neverMore(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let limit = Self.limit(&dice)
        let longestPause = Int64.random(in: 1...2_000, using: &dice)
        var moment: Int64 = 0
        var bucket = TokenBucket(limit, now: Self.date(moment))
        var grants: [Int64] = []
        for _ in 0..<600 {
            moment += Int64.random(in: 0...longestPause, using: &dice)
            if bucket.take(limit, now: Self.date(moment)) == nil { grants.append(moment) }
        }
        #expect(!grants.isEmpty)
        let isTooMany = grants.indices.contains { first in
            grants.indices[first...].contains { last in
                let stretch = grants[last] - grants[first]
                return Int64(last - first + 1) * 60_000 > Int64(limit.burst) * 60_000 + stretch * Int64(limit.amount)
            }
        }
        #expect(!isTooMany, "\(limit)")
    }

    @Test(
        "SEC-2: a caller that keeps to the rate is never rejected, however long",
        arguments: Endurance.seeds(30, brief: 6))
    func belowTheRate(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let limit = Self.limit(&dice)
        let pause = (60_000 + Int64(limit.amount) - 1) / Int64(limit.amount)
        var moment = Int64.random(in: 0...1_000_000, using: &dice)
        var bucket = TokenBucket(limit, now: Self.date(moment))
        var rejected = 0
        for _ in 0..<20_000 {
            if bucket.take(limit, now: Self.date(moment)) != nil { rejected += 1 }
            moment += pause
        }
        #expect(rejected == 0, "\(limit)")
    }

    @Test(
        "SEC-2: the reported wait is long enough, and not a second too long",
        arguments: Endurance.seeds(30, brief: 6))
    func waits(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let limit = Self.limit(&dice)
        var moment: Int64 = 0
        var bucket = TokenBucket(limit, now: Self.date(moment))
        for _ in 0..<500 {
            moment += Int64.random(in: 0...40, using: &dice)
            guard let wait = bucket.take(limit, now: Self.date(moment)) else { continue }
            var patient = bucket
            let isGranted = patient.take(limit, now: Self.date(moment + Int64(wait) * 1_000)) == nil
            #expect(isGranted && wait >= 1, "\(limit)")
            guard wait > 1 else { continue }
            var hasty = bucket
            let isHastyGranted = hasty.take(limit, now: Self.date(moment + Int64(wait - 1) * 1_000)) == nil
            #expect(!isHastyGranted, "\(limit)")
        }
    }

    @Test("SEC-2: a full bucket grants its burst at once, and not one more")
    func burst() {
        let limit = RateLimit(perMinute: 600, burst: 120)
        var bucket = TokenBucket(limit, now: ServiceWorld.epoch)
        let granted = (0..<500).count(where: { _ in bucket.take(limit, now: ServiceWorld.epoch) == nil })
        #expect(granted == 120)
        // A year later it holds no more than that.
        let later = ServiceWorld.epoch.addingTimeInterval(365 * 86_400)
        let again = (0..<500).count(where: { _ in bucket.take(limit, now: later) == nil })
        #expect(again == 120)
    }

    @Test(
        "SEC-2: a clock that is set back, however far, gives nothing and freezes nobody", arguments: [1.0, 3_600, 4e8])
    func clockSetBack(seconds: TimeInterval) {
        let limit = RateLimit(perMinute: 60, burst: 1)
        var bucket = TokenBucket(limit, now: ServiceWorld.epoch)
        let first = bucket.take(limit, now: ServiceWorld.epoch)
        #expect(first == nil)
        let earlier = ServiceWorld.epoch.addingTimeInterval(-seconds)
        let atOnce = bucket.take(limit, now: earlier)
        #expect(atOnce == 1)
        let afterASecond = bucket.take(limit, now: earlier.addingTimeInterval(1))
        #expect(afterASecond == nil)
    }

    @Test("SEC-2: dates at the ends of time are no error")
    func farDates() {
        let limit = RateLimit(perMinute: 1_000_000, burst: 2)
        var bucket = TokenBucket(limit, now: .distantPast)
        let moments: [Date] = [
            .distantFuture, .distantPast, Date(timeIntervalSince1970: 1e300), Date(timeIntervalSince1970: -1e300),
            ServiceWorld.epoch,
        ]
        let responses = moments.map { bucket.take(limit, now: $0) }
        #expect(responses.contains(nil))
    }

    @Test("SEC-2: no limit locks anybody out for good")
    func smallest() {
        let limit = RateLimit(perMinute: 0, burst: -5)
        #expect(limit == RateLimit(perMinute: 1, burst: 1))
        var bucket = TokenBucket(limit, now: ServiceWorld.epoch)
        let responses = [0.0, 1, 60].map { bucket.take(limit, now: ServiceWorld.epoch.addingTimeInterval($0)) }
        #expect(responses == [nil, 59, nil])
    }
}
