import Foundation

/// A time by a clock that nobody can set.
public struct SteadyTime: Hashable, Sendable {
    /// Identifies the start of the device from which the time counts. Times of different starts cannot be compared.
    public let start: String
    /// The seconds since that start, including the time for which the device slept.
    public let seconds: TimeInterval

    public init(start: String, seconds: TimeInterval) {
        self.start = start
        self.seconds = seconds
    }
}

/// Detects changes of the device's clock with a clock that nobody can set, so that waiting events become neither older
/// nor younger (EVT-5). Across a restart of the device, its own clock is trusted, because there is no other.
public struct ClockJumps: Hashable, Sendable, Codable {
    /// The minimum change in seconds. Smaller ones come from a network time service, and make nothing too old.
    public static let tolerance: TimeInterval = 60

    private var start: String?
    /// When the device was started, by its own clock at the last check. It only changes when that clock is set.
    private var startedAt: Date?

    public init() {}

    /// Compares both clocks.
    ///
    /// - Returns: the seconds by which the device's own clock was set ahead since the last check; negative when it was
    ///   set back; 0 when it was not set.
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
