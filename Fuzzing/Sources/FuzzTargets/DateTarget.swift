import BelfryModel
import Foundation

@testable import Belfry
@testable import BelfryAPI
@testable import BelfryCampaigns
@testable import BelfryServerModel

/// Dates, durations, times of day and language tags, as texts.
enum DateTarget {
    static func run(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        try moment(text)
        try local(text)
        try headers(text)
        if let duration = try? ISODuration(text) {
            try expect((60...ISODuration.maximumSeconds).contains(duration.seconds), "a duration has a bound: \(text)")
        }
        if let span = DateSpan(text, in: Fixtures.context) {
            try expect(span.first <= span.last, "a span has a beginning and an end: \(text)")
        }
        _ = EventDateText.equals(.string(text))
        _ = LocaleMatch.best(of: ["de", "de-AT", "zh-Hant", text], for: text)
        _ = LocaleMatch.canonical(text)
    }

    private static func moment(_ text: String) throws {
        for zone in Fixtures.zones {
            guard let date = Timestamp.date(text, in: zone) else { continue }
            let written = Timestamp.text(date)
            try expect(Timestamp.date(written) != nil, "a date that is written can be read: \(written)")
            try expect(Timestamp.text(Timestamp.date(written) ?? .distantPast) == written, "as itself: \(written)")
        }
        guard let date = Timestamp.date(text) else { return }
        let json = Data("{\"at\":\"\(text)\"}".utf8)
        let zone = DateZone(named: "Europe/Paris")
        let schedule = try CheckedJSON(json).decode(CampaignSchedule.self, datesIn: zone)
        try expect(schedule.at == date, "an offset comes before a zone: \(text)")
    }

    private static func local(_ text: String) throws {
        guard let local = LocalDateTime(text) else { return }
        try expect(LocalDateTime(local.description) == local, "a local time reads back as itself: \(local)")
        try expect((0..<1_440).contains(local.minuteOfDay), "a day has 1440 minutes: \(local)")
        for zone in Fixtures.zones {
            let date = local.date(in: zone)
            guard let after = local.date(in: zone, after: date) else { continue }
            try expect(after > date, "after is after: \(local) in \(zone.identifier)")
        }
    }

    private static func headers(_ text: String) throws {
        if let date = HTTPDate.date(text) {
            let written = HTTPDateText().text(date)
            try expect(HTTPDate.date(written) == date, "what the server writes, the device reads: \(written)")
        }
        if let pause = HTTPDate.retryAfter(text, now: Fixtures.now) {
            try expect(pause >= 0, "a pause is not negative: \(text)")
        }
    }
}
