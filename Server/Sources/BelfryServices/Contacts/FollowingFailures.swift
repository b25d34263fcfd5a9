import BelfryStore
import Foundation

/// Work that follows a change of contacts: moving the audience rows of a contact, or what a device has sent and
/// registered under one, to another contact.
enum FollowingWork: Hashable, Sendable, CustomStringConvertible {
    case contact(Int64)
    case events(EventMove.Position)

    /// The subject for which attempts are counted (SEC-8).
    var subject: WorkSubject {
        switch self {
        case .contact(let contact): .contactFollowing(contact)
        case .events(let place): .eventMove(device: place.device, contact: place.contact)
        }
    }

    /// The text for the log.
    var description: String {
        switch self {
        case .contact(let contact): "contact \(contact)"
        case .events(let place): "events and registrations of device \(place.device) under contact \(place.contact)"
        }
    }
}

/// Work that fails by itself, for example because a contact's row cannot be read (SEC-8). It pauses after each failure,
/// twice as long as before, and is logged when it begins to fail. The third failure is the last, because the work is
/// quarantined then. A failure of the whole database does not count.
struct FollowingFailures: Sendable {
    private struct Failure {
        /// The length of the pause, in seconds.
        let pause: TimeInterval
        let until: Date
    }

    /// Seconds of the pause after the first failure, and of the longest pause.
    static let firstPause: TimeInterval = 60
    static let longestPause: TimeInterval = 3_600

    private var failures: [FollowingWork: Failure] = [:]

    func rests(_ work: FollowingWork, at now: Date) -> Bool {
        guard let failure = failures[work] else { return false }
        // A clock that was set back does not prolong the pause.
        return now < failure.until && failure.until.timeIntervalSince(now) <= failure.pause
    }

    /// - Returns: whether this is the work's first failure since it last succeeded.
    mutating func fail(_ work: FollowingWork, at now: Date) -> Bool {
        let pause = failures[work].map { min(2 * $0.pause, Self.longestPause) } ?? Self.firstPause
        // Work that was not tried for long after its pause no longer exists.
        failures = failures.filter { now.timeIntervalSince($0.value.until) < Self.longestPause }
        return failures.updateValue(Failure(pause: pause, until: now.addingTimeInterval(pause)), forKey: work) == nil
    }

    /// - Returns: whether the work had failed before.
    mutating func succeed(_ work: FollowingWork) -> Bool {
        failures.removeValue(forKey: work) != nil
    }
}
