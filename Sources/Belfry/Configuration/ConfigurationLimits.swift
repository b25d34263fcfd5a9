import BelfryModel
import BelfryWire
import Foundation

/// The ranges of a configuration's fields, wherever they are set (REG-13).
enum ConfigurationLimits {
    /// Seconds.
    static let sessionTimeout: ClosedRange<TimeInterval> = 1...86_400
    /// Seconds.
    static let editCollection: ClosedRange<TimeInterval> = 0...60
    /// Seconds.
    static let flushAge: ClosedRange<TimeInterval> = 0...86_400
    static let flushCount = 1...1_000_000
    static let flushBytes = 1...1_000_000_000
    static let batchCount = 1...WireLimits.maximumEventsPerRequest
    /// One event always fits a batch, and a batch always fits the server's limit.
    static let batchBytes = (EventLimits.maximumBytes + EventBatch.envelopeBytes)...WireLimits.maximumBodyBytes
    /// Seconds; less would overload a server that has problems.
    static let backoffFirst: ClosedRange<TimeInterval> = 1...3_600
    /// Seconds.
    static let backoffMaximum: ClosedRange<TimeInterval> = 1...86_400
    /// A part of the delay.
    static let backoffJitter: ClosedRange<Double> = 0...1
    static let queueCount = 1...10_000_000
    static let queueBytes = EventLimits.maximumBytes...1_000_000_000
    /// Seconds.
    static let queueAge: ClosedRange<TimeInterval> = 60...(366 * 86_400)
    /// Seconds; less would overload the server.
    static let centerInterval: ClosedRange<TimeInterval> = 10...86_400
    /// Seconds.
    static let centerRetention: ClosedRange<TimeInterval> = 3_600...(366 * 86_400)
    /// Seconds.
    static let inAppGap: ClosedRange<TimeInterval> = 0...86_400
    /// Messages of a session or a day.
    static let inAppCap = 1...1_000

    /// Throws for a value out of range, with the field and what is allowed.
    static func check<Number: Comparable & Sendable>(
        _ value: Number,
        in range: ClosedRange<Number>,
        field: String
    ) throws(BelfryError) {
        guard !range.contains(value) else { return }
        throw BelfryError(
            .invalidConfiguration,
            "\(digits(of: value)) is not allowed. Allowed: \(text(range)).",
            field: field
        )
    }

    /// `1 to 60`
    static func text<Number: Comparable & Sendable>(_ range: ClosedRange<Number>) -> String {
        "\(digits(of: range.lowerBound)) to \(digits(of: range.upperBound))"
    }

    private static func digits<Number>(of number: Number) -> String {
        let text = "\(number)"
        return text.utf8.suffix(2).elementsEqual(".0".utf8) ? String(text.dropLast(2)) : text
    }
}
