import BelfryModel
import BelfryServerModel
import Foundation

extension CampaignSchedule {
    /// Why the schedule cannot be launched any more.
    package struct LaunchError: Error, Hashable, Sendable {
        /// `at`, `localAt` or `expiresAt`.
        package let field: String
        package let error: ValueError
    }

    /// How late a launch may be for its `at`: later, the date is more likely a mistake.
    package static let maximumLateness: TimeInterval = 86_400
    /// The zone in which every local time comes last is so many seconds behind UTC.
    private static let lastZone: TimeInterval = 12 * 3600

    /// All that is wrong with launching now.
    ///
    /// A local time may have passed in some zones: recipients there get the message at once. When it has passed in
    /// all, nobody would get it at that time.
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

    /// The zone in which every local time comes first is so many seconds ahead of UTC.
    private static let firstZone: TimeInterval = 14 * 3600

    /// The first moment at which any recipient's message may leave, wherever they are; nil: at once.
    package var firstSend: Date? {
        if let localAt { return Date(timeIntervalSince1970: Double(localAt.secondsInUTC) - Self.firstZone) }
        return at
    }

    /// The moment by which everybody's clock has shown the time, wherever they are; nil: at once. Quiet hours and a rate
    /// limit may make messages later.
    package var lastSend: Date? {
        if let localAt { return Date(timeIntervalSince1970: Double(localAt.secondsInUTC) + Self.lastZone) }
        return at
    }
}
