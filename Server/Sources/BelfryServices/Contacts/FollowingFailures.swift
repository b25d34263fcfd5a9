import BelfryStore
import Foundation

/// What has to follow: the rows of a contact, or what a device has sent and registered, on its way to another contact.
enum FollowingWork: Hashable, Sendable, CustomStringConvertible {
    case contact(Int64)
    case events(EventMove.Position)

    /// As which it is counted (SEC-8).
    var subject: WorkSubject {
        switch self {
        case .contact(let contact): .contactFollowing(contact)
        case .events(let place): .eventMove(device: place.device, contact: place.contact)
        }
    }

    /// For the log.
    var description: String {
        switch self {
        case .contact(let contact): "contact \(contact)"
        case .events(let place): "events and registrations of device \(place.device) under contact \(place.contact)"
        }
    }
}

/// Work that fails by itself, such as that of a contact whose row cannot be read (SEC-8). It rests after each failure,
/// twice as long as before, and is told of when it begins to fail; the third failure is the last one, since the work is
/// set aside then. A database that fails is nobody's failure.
struct FollowingFailures: Sendable {
    private struct Failure {
        /// In seconds.
        let pause: TimeInterval
        let until: Date
    }

    /// Seconds of rest: after the first failure, and at most.
    static let firstPause: TimeInterval = 60
    static let longestPause: TimeInterval = 3_600

    private var failures: [FollowingWork: Failure] = [:]

    func rests(_ work: FollowingWork, at now: Date) -> Bool {
        guard let failure = failures[work] else { return false }
        // A clock that was set back makes nobody rest longer.
        return now < failure.until && failure.until.timeIntervalSince(now) <= failure.pause
    }

    /// - Returns: whether it did not fail the last time.
    mutating func fail(_ work: FollowingWork, at now: Date) -> Bool {
        let pause = failures[work].map { min(2 * $0.pause, Self.longestPause) } ?? Self.firstPause
        // What has not come by since its rest is not there any more.
        failures = failures.filter { now.timeIntervalSince($0.value.until) < Self.longestPause }
        return failures.updateValue(Failure(pause: pause, until: now.addingTimeInterval(pause)), forKey: work) == nil
    }

    /// - Returns: whether it failed the last time.
    mutating func succeed(_ work: FollowingWork) -> Bool {
        failures.removeValue(forKey: work) != nil
    }
}
