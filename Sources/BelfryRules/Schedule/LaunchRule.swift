import BelfryModel
import Foundation

extension CampaignSchedule {
    /// Why the schedule cannot be launched any more.
    public struct LaunchFault: Error, Hashable, Sendable {
        /// `at`, `localAt` or `expiresAt`.
        public let field: String
        public let refusal: Refusal
    }

    /// How late a launch may be for its `at`: later, the date is more likely a mistake.
    public static let maximumLateness: TimeInterval = 86_400
    /// The zone in which every local time comes last is so many seconds behind UTC.
    private static let lastZone: TimeInterval = 12 * 3600

    /// What is wrong with launching now; nil when nothing is.
    ///
    /// A local time may have passed in some zones: recipients there get the message at once. When it has passed in
    /// all, nobody would get it at that time.
    public func launchFault(now: Date) -> LaunchFault? {
        func passed(_ field: String, _ message: String) -> LaunchFault {
            LaunchFault(field: field, refusal: Refusal(code: "passed", message: message))
        }
        if let at, now.timeIntervalSince(at) > Self.maximumLateness {
            return passed("at", "The time to send at has passed by more than a day.")
        }
        if let localAt, Date(timeIntervalSince1970: Double(localAt.secondsInUTC) + Self.lastZone) < now {
            return passed("localAt", "It is past \(localAt) in every time zone.")
        }
        if let expiresAt, expiresAt <= now {
            return passed("expiresAt", "The campaign would have expired.")
        }
        return nil
    }
}
