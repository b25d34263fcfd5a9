import Foundation

/// Dates in headers (RFC 9110 §5.6.7).
public enum HTTPDate {
    /// The maximum length of a text in bytes.
    private static let maximumLength = 40
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, the only form in current use. Nil for any other, also for days and times
    /// that do not exist.
    public static func date(_ text: String) -> Date? {
        guard text.utf8.count <= maximumLength else { return nil }
        let words = text.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
        guard words.count == 6, words[5].utf8.elementsEqual("GMT".utf8),
            let month = months.firstIndex(where: { $0.utf8.elementsEqual(words[2].utf8) }),
            let dayOfMonth: Int64 = WholeNumber.read(words[1]),
            let year: Int64 = WholeNumber.read(words[3]), (1970...9999).contains(year),
            let day = CivilDay(year: year, month: Int64(month + 1), day: dayOfMonth),
            let second = secondOfDay(words[4])
        else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(day.daysSince1970 * 86_400 + second))
    }

    private static func secondOfDay(_ text: Substring) -> Int64? {
        let parts = text.utf8.split(separator: UInt8(ascii: ":")).map { Substring($0) }
        guard parts.count == 3,
            let hour: Int64 = WholeNumber.read(parts[0]), (0..<24).contains(hour),
            let minute: Int64 = WholeNumber.read(parts[1]), (0..<60).contains(minute),
            // 60 is a leap second; it counts as the first second of the next minute.
            let second: Int64 = WholeNumber.read(parts[2]), (0...60).contains(second)
        else { return nil }
        return (hour * 60 + minute) * 60 + second
    }
}
