import Foundation

/// How often a device may be woken without its user noticing (PUSH-7).
public enum SilentPushBudget {
    /// Seconds between two pushes: APNs delivers two or three an hour, and drops the rest.
    public static let interval: TimeInterval = 1_200
    /// Seconds for which a push is tried: the app's own next fetch is as good as a late one.
    public static let retryLimit: TimeInterval = 3_600

    /// When the next push may leave.
    ///
    /// - Parameter sentAt: the last one that may have arrived.
    public static func nextDate(after sentAt: Date?, now: Date) -> Date {
        guard let sentAt else { return now }
        // A clock that was set back must not hold pushes up for longer than that.
        return max(now, min(sentAt, now).addingTimeInterval(interval))
    }
}
