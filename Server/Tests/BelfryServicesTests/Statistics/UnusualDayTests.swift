import BelfryTestSupport
import Testing

@testable import BelfryServices

@Suite("CON-4: days unlike the others")
struct UnusualDayTests {
    private static let first = CalendarDay(number: 20_700)

    private static func days(_ counts: [Int?]) -> [(day: CalendarDay, count: Int?)] {
        counts.enumerated().map { (day: first + $0.offset, count: $0.element) }
    }

    private static func unusual(_ counts: [Int?], _ measure: UnusualDay.Measure = .accepted) -> [UnusualDay] {
        UnusualDayRule.days(days(counts), of: measure, last: 1)
    }

    /// Like a shop's days: some noise around 1,000.
    private static let ordinary = (0..<28).map { 1_000 + ($0 * 37) % 120 }

    @Test("CON-4: ten times as much, or all but nothing, is unusual, and the sentence has what it was compared with")
    func farOff() throws {
        let more = try #require(Self.unusual(Self.ordinary + [10_000]).first)
        #expect(more.isMore && more.count == 10_000 && (1_000...1_120).contains(more.usual))
        #expect(more.range.lowerBound >= 1_000 && more.range.upperBound < 1_120)
        #expect(more.day == Self.first + 28)
        let less = try #require(Self.unusual(Self.ordinary + [3]).first)
        #expect(!less.isMore && less.count == 3)
        #expect(Self.unusual(Self.ordinary + [1_060]).isEmpty && Self.unusual(Self.ordinary + [1_400]).isEmpty)
    }

    @Test("CON-4: a day like the same weekday before is not unusual")
    func rhythm() {
        let weeks = (0..<28).map { $0 % 7 == 0 ? 9_000 : 1_000 }
        #expect(Self.unusual(weeks + [9_100]).isEmpty, "It is the day of the week on which they send.")
        #expect(Self.unusual(weeks + [1_000]).isEmpty)
        #expect(Self.unusual(weeks + [40_000]).count == 1)
    }

    @Test("CON-4: of too few days nothing is said, nor of small numbers, nor of fewer problems than usual")
    func quiet() {
        #expect(Self.unusual([0, 0, 0, 5_000]).isEmpty)
        #expect(Self.unusual(Array(repeating: 0, count: 20) + Array(repeating: 1_000, count: 8) + [9_000]).isEmpty)
        #expect(Self.unusual(Array(repeating: 2, count: 28) + [15]).isEmpty)
        #expect(Self.unusual(Array(repeating: nil, count: 28) + [500]).isEmpty)
        #expect(Self.unusual(Self.ordinary + [nil]).isEmpty)
        let many = Array(repeating: 800, count: 28)
        #expect(Self.unusual(many + [0], .rejected).isEmpty && Self.unusual(many + [0], .optedOut).isEmpty)
        #expect(Self.unusual(many + [0], .opened).count == 1)
    }

    @Test("CON-4: whatever the counts, a day within the range of those before it is never unusual")
    func property() {
        for seed in Endurance.seeds(200, brief: 20) {
            var dice = SeededGenerator(seed: seed)
            let most = [10, 1_000, 1_000_000][Int.random(in: 0..<3, using: &dice)]
            let counts = (0..<28).map { _ in Int.random(in: 0...most, using: &dice) }
            let median = counts.sorted()[14]
            #expect(Self.unusual(counts + [median]).isEmpty, "seed \(seed)")
            for found in Self.unusual(counts + [Int.random(in: 0...most * 20, using: &dice)]) {
                #expect(!found.range.contains(found.count), "seed \(seed)")
            }
        }
    }
}
