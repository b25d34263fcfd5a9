import Foundation

/// A duration in ISO 8601: `P7D`, `PT12H`, `P1DT30M`, `P2W`.
///
/// Weeks cannot be combined with other units. A day is 24 hours and a week seven days, also when the clocks change.
/// Years and months are rejected, because their length is not fixed.
public struct ISODuration: Hashable, Sendable {
    /// The maximum in seconds: ten years.
    public static let maximumSeconds: TimeInterval = 3_650 * 86_400

    /// The original spelling.
    public let text: String
    /// The duration in seconds: one minute to ``maximumSeconds``.
    public let seconds: TimeInterval

    public init(_ text: String) throws(ValueError) {
        guard let minutes = Self.minutes(text) else {
            throw ValueError(
                code: "invalidDuration",
                message: """
                    '\(text.prefix(32))' is not a duration of weeks, days, hours and minutes, such as P7D, PT12H, \
                    P1DT30M or P2W.
                    """
            )
        }
        let seconds = TimeInterval(minutes) * 60
        guard seconds > 0, seconds <= Self.maximumSeconds else {
            throw ValueError(code: "outOfRange", message: "A duration is one minute to 3650 days.")
        }
        self.text = text
        self.seconds = seconds
    }

    /// Nil for texts that are not ISO 8601, and for units without a fixed length or shorter than a minute.
    private static func minutes(_ text: String) -> Int64? {
        guard text.utf8.count <= 32, text.hasPrefix("P") else { return nil }
        let parts = text.dropFirst().split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 1, let weeks = sum(parts[0], of: [("W", 7 * 1_440)]) { return weeks }
        guard parts.count == 2 else { return parts.first.flatMap { sum($0, of: [("D", 1_440)]) } }
        guard let time = sum(parts[1], of: [("H", 60), ("M", 1)]) else { return nil }
        if parts[0].isEmpty { return time }
        return sum(parts[0], of: [("D", 1_440)]).map { $0 + time }
    }

    /// The minutes of `1H30M`: each unit at most once, in this order, and at least one.
    private static func sum(_ text: Substring, of units: [(unit: Character, minutes: Int64)]) -> Int64? {
        guard !text.isEmpty else { return nil }
        var rest = text
        var sum: Int64 = 0
        for (unit, minutes) in units {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard rest.dropFirst(digits.count).first == unit else { continue }
            // More than eight digits are not useful; eight cannot overflow.
            guard (1...8).contains(digits.count), let number: Int64 = WholeNumber.read(digits) else { return nil }
            sum += number * minutes
            rest = rest.dropFirst(digits.count + 1)
        }
        return rest.isEmpty ? sum : nil
    }
}

extension ISODuration: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension ISODuration: CustomStringConvertible {
    public var description: String { text }
}
