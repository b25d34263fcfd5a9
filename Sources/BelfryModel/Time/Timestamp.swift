import Foundation

/// Dates on the wire and in the store: ISO 8601 in UTC with milliseconds, or milliseconds since 1970.
///
/// Foundation's ISO 8601 format truncates milliseconds instead of rounding (every second text would be a millisecond
/// early) and accepts `2026-02-30` and trailing letters, so both directions are implemented here (RFC 3339).
public enum Timestamp {
    /// The maximum length of a text in bytes.
    private static let maximumLength = 40
    /// The range of four-digit years from year 1 on, in milliseconds since 1970.
    private static let writable: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// `2026-11-21T12:00:00.000Z`, rounded to the nearest millisecond; read back, it is the same millisecond. A date
    /// outside the years 1 to 9999 is written as the nearest one inside.
    public static func text(_ date: Date) -> String {
        let moment = min(max(date.milliseconds, writable.lowerBound), writable.upperBound)
        let sinceMidnight = moment % millisecondsPerDay
        let time = sinceMidnight < 0 ? sinceMidnight + millisecondsPerDay : sinceMidnight
        let day = CivilDay(daysSince1970: (moment - time) / millisecondsPerDay)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        append(day.year, digits: 4, end: "-", to: &text)
        append(day.month, digits: 2, end: "-", to: &text)
        append(day.day, digits: 2, end: "T", to: &text)
        append(time / 3_600_000, digits: 2, end: ":", to: &text)
        append(time / 60_000 % 60, digits: 2, end: ":", to: &text)
        append(time / 1000 % 60, digits: 2, end: ".", to: &text)
        append(time % 1000, digits: 3, end: "Z", to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ number: Int64, digits: Int, end: Unicode.Scalar, to text: inout [UInt8]) {
        let zero = UInt8(ascii: "0")
        if digits > 3 { text.append(zero + UInt8(number / 1000 % 10)) }
        if digits > 2 { text.append(zero + UInt8(number / 100 % 10)) }
        text.append(zero + UInt8(number / 10 % 10))
        text.append(zero + UInt8(number % 10))
        text.append(UInt8(ascii: end))
    }

    /// The date of an ISO 8601 text with a zone, with or without a fraction of up to nine digits; nil for anything
    /// else, also for days and times that do not exist.
    public static func date(_ text: String) -> Date? {
        guard text.utf8.count <= maximumLength else { return nil }
        if let date = own(text) { return date }
        var reader = TimestampReader(text)
        guard let year = reader.number(digits: 4), reader.take("-"), let month = reader.number(digits: 2),
            reader.take("-"), let dayOfMonth = reader.number(digits: 2), reader.take("T", "t"),
            let day = CivilDay(year: year, month: month, day: dayOfMonth),
            let hour = reader.number(digits: 2), hour < 24, reader.take(":"),
            let minute = reader.number(digits: 2), minute < 60, reader.take(":"),
            // 60 is a leap second; it counts as the first second of the next minute.
            let second = reader.number(digits: 2), second <= 60,
            let fraction = reader.fraction(), let offset = reader.zone(), reader.isAtEnd
        else { return nil }
        let seconds = day.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSince1970: (Double(seconds) * 1000 + fraction) / 1000)
    }

    /// The date of a text in the form of ``text(_:)``, which nearly all have; nil for any other text, which the general
    /// parser reads.
    private static func own(_ text: String) -> Date? {
        let date = text.utf8.withContiguousStorageIfAvailable { bytes -> Date? in
            guard bytes.count == 24, bytes[4] == dash, bytes[7] == dash, bytes[10] == UInt8(ascii: "T"),
                bytes[13] == colon, bytes[16] == colon, bytes[19] == UInt8(ascii: "."), bytes[23] == UInt8(ascii: "Z"),
                let year = number(bytes, 0..<4), let month = number(bytes, 5..<7),
                let dayOfMonth = number(bytes, 8..<10),
                let hour = number(bytes, 11..<13), let minute = number(bytes, 14..<16),
                let second = number(bytes, 17..<19), let fraction = number(bytes, 20..<23),
                hour < 24, minute < 60, second < 60, let day = CivilDay(year: year, month: month, day: dayOfMonth)
            else { return nil }
            let seconds = day.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second
            return Date(timeIntervalSince1970: Double(seconds * 1000 + fraction) / 1000)
        }
        return date ?? nil
    }

    private static let dash = UInt8(ascii: "-")
    private static let colon = UInt8(ascii: ":")

    private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ places: Range<Int>) -> Int64? {
        var number: Int64 = 0
        for place in places {
            let digit = bytes[place] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number * 10 + Int64(digit)
        }
        return number
    }
}

extension Date {
    /// Milliseconds since 1970, rounded, as in the store and in `X-Request-Order`. A date outside their range becomes
    /// the nearest one inside.
    public var milliseconds: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
    }

    public init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
