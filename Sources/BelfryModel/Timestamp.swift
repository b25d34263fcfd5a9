import Foundation

/// Dates on the wire and in the store: ISO 8601 in UTC with milliseconds, or milliseconds since 1970.
public enum Timestamp {
    private static let withFraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    private static let withoutFraction = Date.ISO8601FormatStyle()

    /// `2026-11-21T12:00:00.000Z`
    public static func text(_ date: Date) -> String {
        date.formatted(withFraction)
    }

    /// The date that an ISO 8601 text with a zone names, with or without a fraction; nil for anything else.
    public static func date(_ text: String) -> Date? {
        guard text.utf8.count <= 40 else { return nil }
        return (try? withFraction.parse(text)) ?? (try? withoutFraction.parse(text))
    }
}

extension Date {
    /// Milliseconds since 1970, rounded: what the store keeps and `X-Request-Order` says.
    public var milliseconds: Int64 {
        Int64((timeIntervalSince1970 * 1000).rounded())
    }

    public init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
