import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import Foundation
import Testing

struct RateAllowanceTests {
    private let start = date("2026-11-21T12:00:00Z")

    @Test("CAMP-5: the first is sent at once, the next when its part of the second has passed")
    func steps() {
        var allowance = RateAllowance(perSecond: 4, nextUnit: nil)
        #expect(allowance.nextDate(after: start) == start)
        expect(allowance.take(upTo: 10, at: start), 1)
        expect(allowance.take(upTo: 10, at: start), 0)
        #expect(allowance.nextDate(after: start) == start + 0.25)
        expect(allowance.take(upTo: 10, at: start + 0.249), 0)
        expect(allowance.take(upTo: 10, at: start + 0.25), 1)
        expect(allowance.take(upTo: 1, at: start + 1), 1)
        expect(allowance.take(upTo: 10, at: start + 1), 2)
    }

    @Test("CAMP-5: an allowance that is unused for a second is gone")
    func idle() {
        var allowance = RateAllowance(perSecond: 100, nextUnit: nil)
        expect(allowance.take(upTo: 1, at: start), 1)
        #expect(allowance.available(at: start + 3_600) == 101)
        expect(allowance.take(upTo: 1_000, at: start + 3_600), 101)
        #expect(allowance.available(at: start + 3_600) == 0)
    }

    @Test("CAMP-5: a clock that is set back stops nothing")
    func clock() {
        var allowance = RateAllowance(perSecond: 10, nextUnit: nil)
        expect(allowance.take(upTo: 1, at: start), 1)
        #expect(allowance.available(at: start - 86_400) == 1)
        #expect(allowance.nextDate(after: start - 86_400) == start - 86_400)
    }

    @Test(
        "CAMP-5: the rate is exact over any division into steps, restarts included",
        arguments: Endurance.seeds(20, brief: 5))
    func exact(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let rate = [1, 3, 7, 60, 333, 999, 1_000, 4_001, 100_000][Int.random(in: 0..<9, using: &dice)]
        var allowance = RateAllowance(perSecond: rate, nextUnit: nil)
        var milliseconds = 0
        var sent = allowance.take(upTo: .max, at: start)
        for _ in 0..<2_000 {
            milliseconds += Int.random(in: 0...900, using: &dice)
            sent += allowance.take(upTo: .max, at: start + Double(milliseconds) / 1_000)
            // Kept and read again.
            allowance = RateAllowance(perSecond: rate, nextUnit: allowance.nextUnit)
            #expect(sent == milliseconds * rate / 1_000 + 1)
        }
    }

    @Test(
        "CAMP-5: in no period more is sent than the rate and one second's burst",
        arguments: Endurance.seeds(10, brief: 3))
    func bounded(seed: UInt64) {
        var dice = SeededGenerator(seed: 100 + seed)
        let rate = Int.random(in: 1...500, using: &dice)
        var allowance = RateAllowance(perSecond: rate, nextUnit: nil)
        var log: [(at: Int, count: Int)] = []
        var milliseconds = 0
        for _ in 0..<300 {
            milliseconds += Int.random(in: 0...3_000, using: &dice)
            let now = start + Double(milliseconds) / 1_000
            #expect((allowance.nextDate(after: now) == now) == (allowance.available(at: now) > 0))
            let wanted = Int.random(in: 0...(2 * rate), using: &dice)
            log.append((milliseconds, allowance.take(upTo: wanted, at: now)))
        }
        for (index, first) in log.enumerated() {
            var sum = 0
            for last in log[index...] {
                sum += last.count
                #expect(sum <= (last.at - first.at + 1_000) * rate / 1_000 + 1)
            }
        }
    }

    @Test(
        "CAMP-5: the next may be sent at its time, and not a millisecond before",
        arguments: [1, 3, 7, 999, 1_000, 4_001])
    func next(rate: Int) {
        var allowance = RateAllowance(perSecond: rate, nextUnit: nil)
        var now = start
        for _ in 0..<200 {
            let taken = allowance.take(upTo: .max, at: now)
            #expect(taken > 0)
            let next = allowance.nextDate(after: now)
            #expect(next > now && allowance.available(at: next) > 0)
            #expect(next.timeIntervalSince(now) < 0.0015 || allowance.available(at: next - 0.001) == 0)
            now = next
        }
    }

    @Test("CAMP-5: a frequency cap counts what was sent within the period that ends now")
    func cap() throws {
        let cap = FrequencyCap(count: 2, within: try ISODuration("P7D"))
        let week: TimeInterval = 7 * 86_400
        #expect(cap.admits(sent: [], now: start))
        #expect(cap.admits(sent: [start - 10], now: start))
        #expect(!cap.admits(sent: [start - 10, start - week + 1], now: start))
        #expect(cap.admits(sent: [start - 10, start - week], now: start))
        #expect(!cap.admits(sent: [start - 10, start, start - week], now: start))
        #expect(cap.windowStart(now: start) == start - week)
        #expect(!FrequencyCap(count: 1, within: try ISODuration("PT1H")).admits(count: 1))
    }

    private func expect(_ taken: Int, _ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(taken == count, sourceLocation: sourceLocation)
    }
}
