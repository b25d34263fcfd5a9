import Foundation

@testable import Belfry

/// The clocks of a scenario: the time that has passed, which only grows, the device's clock and the server's.
final class ScenarioClock: Sendable {
    private static let start = Date(timeIntervalSince1970: 1_767_571_200)

    /// The device's.
    let device = ManualClock(ScenarioClock.start)
    /// Seconds by which the device's clock was set ahead, all in all; the clock counts them as lived.
    private let jumped = Locked<TimeInterval>(0)
    private let serverAhead = Locked<TimeInterval>(0)

    /// Milliseconds.
    var passed: Double {
        ((device.lived - jumped.withLock { $0 }) * 1_000).rounded()
    }

    var serverNow: Date {
        Self.start.addingTimeInterval(passed / 1_000 + serverAhead.withLock { $0 })
    }

    func set(by milliseconds: Double) {
        jumped.withLock { $0 += max(0, milliseconds / 1_000) }
        device.advance(by: milliseconds / 1_000)
    }

    func setServer(ahead milliseconds: Double) {
        serverAhead.withLock { $0 = milliseconds / 1_000 }
    }
}
