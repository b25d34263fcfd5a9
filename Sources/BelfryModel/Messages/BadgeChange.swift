/// A campaign's change of the badge on each device that it reaches (BADGE-1).
public struct BadgeChange: Hashable, Sendable, Codable {
    public enum Operation: String, Hashable, Sendable, Codable, CaseIterable {
        case increment
        case set
        case clear
    }

    public var op: Operation
    /// The increment (1 or more; absent: 1) or the new number (0 or more); must be absent with `clear`.
    public var value: Int?

    public init(op: Operation, value: Int? = nil) {
        self.op = op
        self.value = value
    }

    /// The number after the change.
    ///
    /// - Parameter maximum: the app's setting `maximumBadge`.
    public func apply(to count: Int, maximum: Int) -> Int {
        switch op {
        case .increment:
            let (sum, isTooLarge) = count.addingReportingOverflow(value ?? 1)
            return isTooLarge ? maximum : Self.clamped(sum, maximum: maximum)
        case .set: return Self.clamped(value ?? 0, maximum: maximum)
        case .clear: return 0
        }
    }

    /// The number, limited to what a badge can show.
    ///
    /// - Parameter maximum: the app's setting `maximumBadge`.
    public static func clamped(_ count: Int, maximum: Int) -> Int {
        max(0, min(count, maximum))
    }
}
