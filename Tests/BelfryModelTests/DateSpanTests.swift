import BelfryModel
import Foundation
import Testing

struct DateSpanTests {
    private static func span(_ text: String, zone: String = "Europe/Paris") throws -> DateSpan? {
        let context = ConditionContext(
            schema: [:], zone: try #require(TimeZone(identifier: zone)),
            now: try #require(Timestamp.date("2026-11-21T12:00:00Z"))
        )
        return DateSpan(text, in: context)
    }

    private static func span(from first: String, to last: String) throws -> DateSpan {
        DateSpan(
            first: try #require(Timestamp.date(first)).milliseconds,
            last: try #require(Timestamp.date(last)).milliseconds
        )
    }

    @Test(
        "ADM-2: a date without an offset is in the app's zone, and one without a time is the whole day",
        arguments: [
            ("2026-11-21T12:00:00Z", "2026-11-21T12:00:00Z", "2026-11-21T12:00:00Z"),
            ("2026-11-21T12:00:00+02:00", "2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z"),
            ("2026-11-21T12:00", "2026-11-21T11:00:00Z", "2026-11-21T11:00:00Z"),
            ("2026-07-21T12:00:30", "2026-07-21T10:00:30Z", "2026-07-21T10:00:30Z"),
            ("2026-11-21", "2026-11-20T23:00:00Z", "2026-11-21T22:59:59.999Z"),
            // Days of 23 and of 25 hours.
            ("2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59.999Z"),
            ("2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T22:59:59.999Z"),
            ("-P30D", "2026-10-22T12:00:00Z", "2026-10-22T12:00:00Z"),
            ("P1W", "2026-11-28T12:00:00Z", "2026-11-28T12:00:00Z"),
            ("+PT1H30M", "2026-11-21T13:30:00Z", "2026-11-21T13:30:00Z"),
        ]
    )
    func spans(text: String, first: String, last: String) throws {
        #expect(try Self.span(text) == Self.span(from: first, to: last))
    }

    @Test("ADM-2: a day without a midnight begins when the clocks have skipped it")
    func withoutMidnight() throws {
        let day = try Self.span("2026-09-06", zone: "America/Santiago")
        #expect(try day == Self.span(from: "2026-09-06T04:00:00Z", to: "2026-09-07T02:59:59.999Z"))
    }

    @Test(
        "CAMP-3: an invalid date is nil",
        arguments: [
            "", "yesterday", "2026", "2026-11", "2026-02-30", "2026-11-21 12:00", "-", "-P", "P1M", "30",
            "2026-11-21T25:00",
        ])
    func none(text: String) throws {
        #expect(try Self.span(text) == nil)
    }
}
