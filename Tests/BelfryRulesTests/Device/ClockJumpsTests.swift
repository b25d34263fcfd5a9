import BelfryRules
import Foundation
import Testing

struct ClockJumpsTests {
    private static func look(
        _ jumps: inout ClockJumps, after seconds: TimeInterval, ahead: TimeInterval, start: String = "one"
    ) -> TimeInterval {
        jumps.looked(
            at: SteadyTime(start: start, seconds: seconds), now: deviceEpoch.addingTimeInterval(seconds + ahead)
        )
    }

    @Test("EVT-5: a clock that is set ahead is noticed once, whatever time has passed besides")
    func ahead() {
        var jumps = ClockJumps()
        let seen = [(10, 0), (86_410, 0), (90_000, 5_000), (90_001, 5_000), (99_000, 6_000)].map { second, ahead in
            Self.look(&jumps, after: TimeInterval(second), ahead: TimeInterval(ahead))
        }
        #expect(seen == [0, 0, 5_000, 0, 1_000])
    }

    @Test("EVT-5: a clock that is set back is noticed; a network's small corrections and another start are no jump")
    func other() throws {
        var jumps = ClockJumps()
        #expect(Self.look(&jumps, after: 10, ahead: 0) == 0)
        #expect(Self.look(&jumps, after: 20, ahead: 60) == 0)
        #expect(Self.look(&jumps, after: 30, ahead: -5_000) == -5_000)
        #expect(Self.look(&jumps, after: 40, ahead: 0) == 5_000)
        #expect(Self.look(&jumps, after: 1, ahead: 90_000, start: "two") == 0)
        // It is remembered from one process to the next.
        let data = try JSONEncoder().encode(jumps)
        var stored = try JSONDecoder().decode(ClockJumps.self, from: data)
        #expect(Self.look(&stored, after: 2, ahead: 90_100, start: "two") == 100)
    }
}
