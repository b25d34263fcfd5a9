import BelfryModel
import Foundation

/// Dates in headers (RFC 9110 §5.6.7).
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`; nil for any other form.
    static func date(_ text: String) -> Date? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT" else { return nil }
        let time = words[4].split(separator: ":").compactMap { WholeNumber.read($0, as: Int.self) }
        guard let day: Int = WholeNumber.read(words[1]), (1...31).contains(day),
            let month = months.firstIndex(of: String(words[2])),
            let year: Int = WholeNumber.read(words[3]), (1970...9999).contains(year), time.count == 3,
            time.allSatisfy({ (0...60).contains($0) })
        else { return nil }
        let seconds = ((days(year: year, month: month + 1, day: day) * 24 + time[0]) * 60 + time[1]) * 60 + time[2]
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }

    /// `Retry-After`: seconds, or a date; nil for anything else.
    ///
    /// - Parameter now: by the clock of whoever sent the header, because the device's may be wrong.
    static func retryAfter(_ text: String?, now: Date) -> TimeInterval? {
        guard let text else { return nil }
        if let seconds: Int = WholeNumber.read(text) { return TimeInterval(max(seconds, 0)) }
        return date(text).map { max($0.timeIntervalSince(now), 0) }
    }

    /// Days since 1970 of a Gregorian date from 1970 on (Hinnant, "chrono-compatible low-level date algorithms").
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
