import Foundation
import Testing

@testable import BelfryServices

struct UpkeepRhythmTests {
    private static let start = ServiceWorld.epoch
    private static let hour: TimeInterval = 3_600

    /// What so many rounds do of which each begins an hour after the one before.
    private func rounds(_ count: Int, of rhythm: inout UpkeepRhythm, from start: Date) -> [UpkeepRhythm.Round] {
        (0..<count).map { number in
            let now = start.addingTimeInterval(Double(number) * Self.hour)
            let round = rhythm.begin(at: now)
            rhythm.pause(at: now)
            return round
        }
    }

    @Test("EVT-7: one round in a day looks through all of it, the first among them")
    func daily() {
        var rhythm = UpkeepRhythm()
        let found = rounds(49, of: &rhythm, from: Self.start)
        let daily = found.indices.filter { found[$0] == .daily }
        #expect(daily == [0, 24, 48])
        #expect(Set(found) == [.daily, .hourly])
    }

    @Test("EVT-7, REL-6: after a leap 24 rounds remove nothing, and the next one is a day's; a delay is no leap")
    func leap() {
        var rhythm = UpkeepRhythm()
        _ = rounds(3, of: &rhythm, from: Self.start)
        let late = Self.start.addingTimeInterval(3 * Self.hour + UpkeepRhythm.longestDelay)
        let delayed = rounds(1, of: &rhythm, from: late)
        #expect(delayed == [.hourly])
        let leapt = late.addingTimeInterval(Self.hour + UpkeepRhythm.longestDelay + 1)
        let found = rounds(26, of: &rhythm, from: leapt)
        let held = [UpkeepRhythm.Round](repeating: .held(sinceNow: false), count: 23)
        #expect(found == [.held(sinceNow: true)] + held + [.daily, .hourly])
    }

    @Test("EVT-7, REL-6: a clock that is set right again counts at once")
    func setRight() {
        var rhythm = UpkeepRhythm()
        _ = rounds(1, of: &rhythm, from: Self.start)
        let leapt = Self.start.addingTimeInterval(100 * 86_400)
        let held = rounds(2, of: &rhythm, from: leapt)
        #expect(held == [.held(sinceNow: true), .held(sinceNow: false)])
        let right = Self.start.addingTimeInterval(4 * Self.hour)
        let found = rounds(2, of: &rhythm, from: right)
        #expect(found == [.daily, .hourly])
    }

    @Test("EVT-7: a round that takes days is no leap")
    func longRound() {
        var rhythm = UpkeepRhythm()
        _ = rhythm.begin(at: Self.start)
        let end = Self.start.addingTimeInterval(5 * 86_400)
        rhythm.pause(at: end)
        let next = rhythm.begin(at: end.addingTimeInterval(Self.hour))
        #expect(next == .hourly)
    }
}
