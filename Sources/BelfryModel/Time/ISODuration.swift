import Foundation

/// A length of time as ISO 8601 writes it: `P7D`, `PT12H`, `P1DT30M`, `P2W`.
///
/// Weeks stand alone; a day is 24 hours and a week seven days, also across a change of the clocks. Years and months
/// are refused, for nobody can say how long they are.
public struct ISODuration: Hashable, Sendable {
    /// Ten years at most.
    public static let maximumSeconds: TimeInterval = 3_650 * 86_400

    /// As it was spelled.
    public let text: String
    /// One minute to ``maximumSeconds``.
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

    /// Nil for what ISO 8601 does not have, and for units that have no fixed length or are shorter than a minute.
    private static func minutes(_ text: String) -> Int64? {
        guard text.utf8.count <= 32, text.hasPrefix("P") else { return nil }
        let parts = text.dropFirst().split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 1, let weeks = sum(parts[0], of: [("W", 7 * 1_440)]) { return weeks }
        guard parts.count == 2 else { return parts.first.flatMap { sum($0, of: [("D", 1_440)]) } }
        guard let time = sum(parts[1], of: [("H", 60), ("M", 1)]) else { return nil }
        if parts[0].isEmpty { return time }
        return sum(parts[0], of: [("D", 1_440)]).map { $0 + time }
    }

    /// The minutes of `1H30M`: each unit once at most, in this order, and at least one.
    private static func sum(_ text: Substring, of units: [(unit: Character, minutes: Int64)]) -> Int64? {
        guard !text.isEmpty else { return nil }
        var rest = text
        var sum: Int64 = 0
        for (unit, minutes) in units {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard rest.dropFirst(digits.count).first == unit else { continue }
            // Eight digits are more than anybody means, and never overflow.
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
