import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import Foundation
import Testing

/// Every zone that the system knows, around the changes of its clocks.
struct ZonePropertyTests {
    private static let years = ["2021-01-01T00:00:00Z", "2024-01-01T00:00:00Z", "2026-01-01T00:00:00Z"]

    /// The moments at which a zone changes its clocks in the given years, and one at which it does not.
    private func moments(of zone: TimeZone) -> [Date] {
        Self.years.flatMap { year -> [Date] in
            var moments = [date(year)]
            while let last = moments.last, moments.count < 4,
                let next = zone.nextDaylightSavingTimeTransition(after: last),
                next < date(year) + 366 * 86_400
            {
                moments.append(next)
            }
            return moments
        }
    }

    @Test("CAMP-5: in every zone a local time is shown at its moment, or skipped there; and the first of two is taken")
    func localTimes() throws {
        var dice = SeededGenerator(seed: 5)
        var gaps = 0
        var overlaps = 0
        for name in TimeZone.knownTimeZoneIdentifiers {
            let zone = try #require(TimeZone(identifier: name))
            for change in moments(of: zone) {
                for _ in 0..<4 {
                    let near = change + Double(Int.random(in: -9_000...9_000, using: &dice))
                    let local = LocalDateTime(
                        secondsInUTC: Int64(near.timeIntervalSince1970) + Int64(zone.secondsFromGMT(for: near))
                    )
                    let moment = local.date(in: zone)
                    // The clock showed it at `near`, so it is not in a gap, and `near` is the first or the second such
                    // moment.
                    #expect(LocalDateTime(moment, in: zone) == local && moment <= near, "\(name) \(local)")
                    if moment < near { overlaps += 1 }
                    #expect(local.date(in: zone, after: moment - 1) == moment)
                }
                let skip = Double(zone.secondsFromGMT(for: change) - zone.secondsFromGMT(for: change - 1))
                guard skip > 0 else { continue }
                gaps += 1
                let before = LocalDateTime(change - 1, in: zone)
                for second in [1, skip / 2, skip].map({ Int64($0) }) {
                    let skipped = LocalDateTime(secondsInUTC: before.secondsInUTC + second)
                    #expect(skipped.date(in: zone) == change, "\(name) \(skipped)")
                }
            }
        }
        #expect(gaps > 100 && overlaps > 100)
    }

    @Test("CAMP-5: in every zone a message is sent at its time or later, never in quiet hours, and once")
    func due() throws {
        var dice = SeededGenerator(seed: 7)
        for name in TimeZone.knownTimeZoneIdentifiers {
            let zone = RecipientZone(device: name, app: "UTC")
            for change in moments(of: zone.timeZone) {
                let quiet = QuietHours(
                    from: try time(Int.random(in: 0..<1_440, using: &dice)),
                    to: try time(Int.random(in: 0..<1_440, using: &dice))
                )
                guard quiet.from != quiet.to else { continue }
                let near = change + Double(Int.random(in: -90_000...90_000, using: &dice))
                let schedule = CampaignSchedule(localAt: LocalDateTime(near, in: zone.timeZone), quietHours: quiet)
                let launch = near - 100_000
                var now = launch
                var steps = 0
                while case .later(let next, _) = schedule.due(at: now, launchedAt: launch, zone: zone), steps < 9 {
                    #expect(next > now)
                    now = next
                    steps += 1
                }
                #expect(schedule.due(at: now, launchedAt: launch, zone: zone) == .now, "\(name) \(near) \(quiet)")
                #expect(steps <= 2 && now >= schedule.start(launchedAt: launch, zone: zone))
                #expect(!quiet.contains(LocalDateTime(now, in: zone.timeZone)), "\(name) \(now) \(quiet)")
                #expect(now < near + 3 * 86_400)
            }
        }
    }

    private func time(_ minute: Int) throws -> TimeOfDay {
        let text = [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return try #require(TimeOfDay(text))
    }
}
