import BelfryModel

/// The hours in which a recipient gets no messages, by their local time: for example from 22:00 until 08:00 (CAMP-5).
package struct QuietHours: Hashable, Sendable {
    /// The handling of a message that is due in quiet hours.
    package enum Consequence: String, Hashable, Sendable, Codable, CaseIterable {
        /// It is sent when the quiet hours end.
        case delay
        /// It is not sent.
        case suppress
    }

    /// The first minute of the quiet hours.
    package var from: TimeOfDay
    /// The first minute after the quiet hours. If it is before `from`, they end on the next day.
    package var to: TimeOfDay
    package var then: Consequence

    package init(from: TimeOfDay, to: TimeOfDay, then: Consequence = .delay) {
        self.from = from
        self.to = to
        self.then = then
    }

    /// Whether a local time is within the quiet hours.
    package func contains(_ time: LocalDateTime) -> Bool {
        let minute = time.minuteOfDay
        return from <= to
            ? (from.minute..<to.minute).contains(minute) : minute >= from.minute || minute < to.minute
    }
}

extension QuietHours: Codable {
    private enum Key: String, CodingKey {
        case from, to, then
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            from: try container.decode(TimeOfDay.self, forKey: .from),
            to: try container.decode(TimeOfDay.self, forKey: .to),
            then: try container.decodeIfPresent(Consequence.self, forKey: .then) ?? .delay
        )
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(from, forKey: .from)
        try container.encode(to, forKey: .to)
        try container.encode(then, forKey: .then)
    }
}

/// A minute of the day: `22:00`.
package struct TimeOfDay: Hashable, Sendable, Comparable {
    /// The minute of the day, 0 to 1439.
    package let minute: Int

    /// Reads a time like `08:00`. Nil for any other text, including 24:00.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int($0) - 0x30 }
        guard digits.allSatisfy((0...9).contains) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        guard hour < 24, minute < 60 else { return nil }
        self.minute = hour * 60 + minute
    }

    package static func < (left: TimeOfDay, right: TimeOfDay) -> Bool {
        left.minute < right.minute
    }
}

extension TimeOfDay: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = TimeOfDay(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a time of day is 00:00 to 23:59, such as 08:00"
            )
        }
        self = time
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension TimeOfDay: CustomStringConvertible {
    /// `08:00`
    package var description: String {
        [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
