import Foundation

/// How long a simulated device's app takes its time.
struct DevicePace: Hashable, Sendable {
    /// Seconds in the background after which the next look is a new session.
    var sessionTimeout: TimeInterval
    /// Seconds from one in-app message to the next.
    var inAppGap: TimeInterval

    /// As apps have it.
    static let standard = DevicePace(sessionTimeout: 30, inAppGap: 30)
    /// For a story whose listeners do not wait half a minute between two of its steps.
    static let hurried = DevicePace(sessionTimeout: 1, inAppGap: 0)
}
