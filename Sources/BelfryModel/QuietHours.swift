/// When a recipient is left alone, by the clock where they are: from 22:00 until 08:00, say (CAMP-5).
public struct QuietHours: Hashable, Sendable {
    /// What becomes of a message whose time falls into them.
    public enum Consequence: String, Hashable, Sendable, Codable, CaseIterable {
        /// It is sent when they end.
        case delay
        /// It is not sent.
        case suppress
    }

    /// Their first minute.
    public var from: TimeOfDay
    /// The first minute after them; before `from`, they end on the next day.
    public var to: TimeOfDay
    public var then: Consequence

    public init(from: TimeOfDay, to: TimeOfDay, then: Consequence = .delay) {
        self.from = from
        self.to = to
        self.then = then
    }

    /// Whether a clock that shows this time is within them.
    public func contains(_ time: LocalDateTime) -> Bool {
        let minute = time.minuteOfDay
        return from <= to
            ? (from.minute..<to.minute).contains(minute) : minute >= from.minute || minute < to.minute
    }
}

extension QuietHours: Codable {
    private enum Key: String, CodingKey {
        case from, to, then
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            from: try container.decode(TimeOfDay.self, forKey: .from),
            to: try container.decode(TimeOfDay.self, forKey: .to),
            then: try container.decodeIfPresent(Consequence.self, forKey: .then) ?? .delay
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(from, forKey: .from)
        try container.encode(to, forKey: .to)
        try container.encode(then, forKey: .then)
    }
}

/// A minute of the day: `22:00`.
public struct TimeOfDay: Hashable, Sendable, Comparable {
    /// 0 to 1439.
    public let minute: Int

    /// Reads `08:00` to the minute; nil for anything else, also for 24:00.
    public init?(_ text: String) {
        var reader = TimestampReader(text)
        guard let hour = reader.number(digits: 2), hour < 24, reader.take(":"),
            let minute = reader.number(digits: 2), minute < 60, reader.isAtEnd
        else { return nil }
        self.minute = Int(hour * 60 + minute)
    }

    public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool {
        left.minute < right.minute
    }
}

extension TimeOfDay: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = TimeOfDay(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a time of the day is 00:00 to 23:59, as 08:00 is"
            )
        }
        self = time
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension TimeOfDay: CustomStringConvertible {
    /// `08:00`
    public var description: String {
        [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
