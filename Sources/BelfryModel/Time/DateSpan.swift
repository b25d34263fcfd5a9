import Foundation

/// What a date is compared with: from one millisecond to another, both included. A moment is as long as one of them, a
/// date without a time the whole day.
public struct DateSpan: Hashable, Sendable {
    /// Milliseconds since 1970; so is the next.
    public let first: Int64
    public let last: Int64

    public init(first: Int64, last: Int64) {
        self.first = first
        self.last = last
    }

    /// Reads `2026-11-01T00:00:00Z`; without an offset, `2026-11-01T00:00` and `2026-11-01`, in the app's zone (ADM-2);
    /// `-P30D` and `P7D`, so long before and after now. Nil for anything else.
    public init?(_ text: String, in context: ConditionContext) {
        if let date = Timestamp.date(text) {
            self.init(date)
        } else if let duration = Self.signed(text) {
            self.init(context.now.addingTimeInterval(duration))
        } else if let local = LocalDateTime(text) {
            let date = local.date(in: context.zone)
            guard text.utf8.count == 10 else {
                self.init(date)
                return
            }
            let next = LocalDateTime(secondsInUTC: local.secondsInUTC + 86_400).date(in: context.zone)
            self.init(first: date.milliseconds, last: next.milliseconds - 1)
        } else {
            return nil
        }
    }

    /// As ``init(_:in:)``, of a value that stands in a predicate.
    public init?(_ value: AttributeValue, in context: ConditionContext) {
        switch value {
        case .date(let date): self.init(date)
        case .string(let text): self.init(text, in: context)
        case .number, .boolean: return nil
        }
    }

    private init(_ date: Date) {
        first = date.milliseconds
        last = first
    }

    /// Seconds of a duration that may have a sign.
    private static func signed(_ text: String) -> TimeInterval? {
        let isBack = text.hasPrefix("-")
        let digits = isBack || text.hasPrefix("+") ? String(text.dropFirst()) : text
        guard digits.hasPrefix("P"), let duration = try? ISODuration(digits) else { return nil }
        return isBack ? -duration.seconds : duration.seconds
    }
}

/// What a predicate is read with beside itself.
public struct ConditionContext: Sendable {
    /// The attributes that the app has defined: those of type date are compared as dates.
    public let schema: [String: AttributeType]
    /// The app's: dates without an offset are in it.
    public let zone: TimeZone
    /// The moment that `within` and `-P30D` count from.
    public let now: Date

    public init(schema: [String: AttributeType], zone: TimeZone, now: Date) {
        self.schema = schema
        self.zone = zone
        self.now = now
    }
}
