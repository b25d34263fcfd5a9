import Foundation

/// A moment by a clock that nobody can set.
public struct SteadyTime: Hashable, Sendable {
    /// Names the start of the device from which it counts: moments of different starts cannot be compared.
    public let start: String
    /// Since that start, also while the device slept.
    public let seconds: TimeInterval

    public init(start: String, seconds: TimeInterval) {
        self.start = start
        self.seconds = seconds
    }
}

/// Notices when the device's clock is set, by one that cannot be: what waits is neither older nor younger for that (EVT-5).
/// From one start of the device to the next its own clock is believed, for nothing else has counted.
public struct ClockJumps: Hashable, Sendable, Codable {
    /// Seconds. Less is the work of a network time service, and makes nothing too old.
    public static let tolerance: TimeInterval = 60

    private var start: String?
    /// When the device was started, by its own clock at the last look: it moves only when that clock is set.
    private var startedAt: Date?

    public init() {}

    /// Looks at both clocks.
    ///
    /// - Returns: the seconds by which the device's own was set ahead since the last look, negative when it was set back;
    ///   0 when it was not set.
    public mutating func looked(at steady: SteadyTime, now: Date) -> TimeInterval {
        let seen = now.addingTimeInterval(-steady.seconds)
        guard start == steady.start, let known = startedAt else {
            (start, startedAt) = (steady.start, seen)
            return 0
        }
        let jump = seen.timeIntervalSince(known)
        guard abs(jump) > Self.tolerance else { return 0 }
        startedAt = seen
        return jump
    }
}
