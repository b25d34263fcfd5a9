import Foundation

/// The period with which a date is compared, from one millisecond to another, both included. A moment is one
/// millisecond long, a date without a time a whole day.
public struct DateSpan: Hashable, Sendable {
    /// In milliseconds since 1970, like `last`.
    public let first: Int64
    public let last: Int64

    public init(first: Int64, last: Int64) {
        self.first = first
        self.last = last
    }

    /// Reads `2026-11-01T00:00:00Z`; without an offset, `2026-11-01T00:00` and `2026-11-01`, in the app's zone (ADM-2);
    /// `-P30D` and `P7D`, a duration before and after now. Nil for anything else.
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

    /// Reads a value in a predicate like ``init(_:in:)``.
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

    /// The seconds of a duration with an optional sign.
    private static func signed(_ text: String) -> TimeInterval? {
        let isBack = text.utf8.first == UInt8(ascii: "-")
        let isSigned = isBack || text.utf8.first == UInt8(ascii: "+")
        let digits = isSigned ? String(Substring(text.utf8.dropFirst())) : text
        guard digits.utf8.first == UInt8(ascii: "P"), let duration = try? ISODuration(digits) else { return nil }
        return isBack ? -duration.seconds : duration.seconds
    }
}

/// The context in which a predicate is read.
public struct ConditionContext: Sendable {
    /// The attributes that the app has defined: those of type date are compared as dates.
    public let schema: [String: AttributeType]
    /// The app's time zone, for dates without an offset.
    public let zone: TimeZone
    /// The present for `within` and `-P30D`.
    public let now: Date

    public init(schema: [String: AttributeType], zone: TimeZone, now: Date) {
        self.schema = schema
        self.zone = zone
        self.now = now
    }
}
