import BelfryModel
import Foundation

/// Times in words. All of them are in UTC and say so: the server does not know the person's time zone.
enum Moment {
    /// `28 Nov 2026, 18:05 UTC`.
    static func text(_ date: Date) -> String {
        let stamp = Array(Timestamp.text(date).utf8)
        // `2026-11-28T18:05:09.123Z`
        guard stamp.count >= 16, let month: Int = WholeNumber.read(String(decoding: stamp[5..<7], as: UTF8.self)),
            DayWords.months.indices.contains(month - 1),
            let day: Int = WholeNumber.read(String(decoding: stamp[8..<10], as: UTF8.self))
        else { return Timestamp.text(date) }
        let year = String(decoding: stamp[0..<4], as: UTF8.self)
        return "\(day) \(DayWords.months[month - 1]) \(year), \(String(decoding: stamp[11..<16], as: UTF8.self)) UTC"
    }

    /// `just now`, `5 minutes ago`, `3 hours ago`, `2 days ago`.
    static func ago(_ date: Date, now: Date) -> String {
        let seconds = Int(now.timeIntervalSince(date))
        switch seconds {
        case ..<90: return "just now"
        case ..<5_400: return "\(Figures.count(seconds / 60, "minute", "minutes")) ago"
        case ..<129_600: return "\(Figures.count(seconds / 3_600, "hour", "hours")) ago"
        default: return "\(Figures.count(seconds / 86_400, "day", "days")) ago"
        }
    }
}
