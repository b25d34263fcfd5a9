import Foundation

/// A local day and time without a zone: `2026-12-01T09:00:00`.
public struct LocalDateTime: Hashable, Sendable, Comparable {
    /// The seconds since 1970 if this time were in UTC, for the arithmetic of zones.
    public let secondsInUTC: Int64

    public init(secondsInUTC: Int64) {
        self.secondsInUTC = secondsInUTC
    }

    /// Reads `2026-12-01T09:00:00` or, without the seconds, `2026-12-01T09:00`; a day without a time is its midnight.
    /// Nil for anything else: for a text with an offset, and for days and times that do not exist.
    public init?(_ text: String) {
        var reader = TimestampReader(text)
        guard let year = reader.number(digits: 4), reader.take("-"), let month = reader.number(digits: 2),
            reader.take("-"), let dayOfMonth = reader.number(digits: 2),
            let day = CivilDay(year: year, month: month, day: dayOfMonth),
            let time = Self.time(&reader), reader.isAtEnd
        else { return nil }
        secondsInUTC = day.daysSince1970 * 86_400 + time
    }

    private static func time(_ reader: inout TimestampReader) -> Int64? {
        guard !reader.isAtEnd else { return 0 }
        guard reader.take("T", "t"), let hour = reader.number(digits: 2), hour < 24, reader.take(":"),
            let minute = reader.number(digits: 2), minute < 60
        else { return nil }
        guard !reader.isAtEnd else { return hour * 3600 + minute * 60 }
        guard reader.take(":"), let second = reader.number(digits: 2), second < 60 else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    /// The minute of the day: 0 to 1439.
    public var minuteOfDay: Int {
        let second = secondsInUTC % 86_400
        return Int((second < 0 ? second + 86_400 : second) / 60)
    }

    public static func < (left: LocalDateTime, right: LocalDateTime) -> Bool {
        left.secondsInUTC < right.secondsInUTC
    }
}

extension LocalDateTime: CustomStringConvertible {
    /// `2026-12-01T09:00:00`
    public var description: String {
        String(Timestamp.text(Date(timeIntervalSince1970: TimeInterval(secondsInUTC))).prefix(19))
    }
}

extension LocalDateTime: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = LocalDateTime(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "a local time is a date and time without an offset, such as 2026-12-01T09:00:00"
            )
        }
        self = time
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
