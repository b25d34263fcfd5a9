import BelfryModel
import BelfryServerModel
import Foundation

extension CampaignSchedule {
    /// Why the schedule can no longer be launched.
    package struct LaunchError: Error, Hashable, Sendable {
        /// `at`, `localAt` or `expiresAt`.
        package let field: String
        package let error: ValueError
    }

    /// How late a launch may be after its `at`, in seconds. After that, the date is more likely a mistake.
    package static let maximumLateness: TimeInterval = 86_400
    /// How far the last time zone is behind UTC, in seconds: every local time comes last there.
    private static let lastZone: TimeInterval = 12 * 3600

    /// All errors of a launch now.
    ///
    /// A local time may have passed in some time zones: recipients there get the message immediately. If it has passed
    /// in all zones, nobody would get it at that time, which is an error.
    package func launchErrors(now: Date) -> [LaunchError] {
        var errors: [LaunchError] = []
        func passed(_ field: String, _ message: String) {
            errors.append(LaunchError(field: field, error: ValueError(code: "passed", message: message)))
        }
        if let at, now.timeIntervalSince(at) > Self.maximumLateness {
            passed("at", "The send time passed more than a day ago.")
        }
        if let localAt, Date(timeIntervalSince1970: Double(localAt.secondsInUTC) + Self.lastZone) < now {
            passed("localAt", "The local time \(localAt) has passed in every time zone.")
        }
        if let expiresAt, expiresAt <= now {
            passed("expiresAt", "The campaign's expiry has passed.")
        }
        return errors
    }

    /// How far the first time zone is ahead of UTC, in seconds: every local time comes first there.
    private static let firstZone: TimeInterval = 14 * 3600

    /// The earliest time at which a message may be sent to a recipient in any time zone. Nil: immediately.
    package var firstSend: Date? {
        if let localAt { return Date(timeIntervalSince1970: Double(localAt.secondsInUTC) - Self.firstZone) }
        return at
    }

    /// The time by which the clocks of all time zones have shown the scheduled time. Nil: immediately. Quiet hours and
    /// a rate limit may make messages later.
    package var lastSend: Date? {
        if let localAt { return Date(timeIntervalSince1970: Double(localAt.secondsInUTC) + Self.lastZone) }
        return at
    }
}
