import BelfryStore
import Foundation
import Synchronization

/// Decides about work that may crash the process when it is processed alone (SEC-8).
enum AttemptRule {
    /// The number of attempts without an end after which a subject is quarantined.
    static let maximum = 3
    /// How long nobody else may begin a subject that was begun, in seconds, if it has no lease of its own.
    static let lease: TimeInterval = 15
    /// How long the next subject waits for one that was begun alone and shows no progress, in seconds. A crash happens
    /// quickly, and an unresponsive push service must not delay the others.
    static let patience: TimeInterval = 5

    enum Decision: Hashable, Sendable {
        /// Begin the subject, as the attempt with this number.
        case begin(attempt: Int)
        /// The subject was begun too often without an end: quarantine it.
        case quarantine
        /// The subject is in quarantine, or another process is working on it.
        case leave
    }

    /// - Parameters:
    ///   - known: the known attempts. Nil if there were none.
    ///   - owner: the asking process. A subject that it has begun itself and has not ended has not crashed it, so that
    ///     attempt continues.
    static func decide(_ known: WorkAttempt?, by owner: String, now: Date) -> Decision {
        guard let known else { return .begin(attempt: 1) }
        guard known.status == .open else { return .leave }
        if known.owner == owner { return .begin(attempt: max(known.attempts, 1)) }
        guard !known.isClosed(to: owner, at: now) else { return .leave }
        return known.attempts < maximum ? .begin(attempt: known.attempts + 1) : .quarantine
    }
}

/// The result of an attempt to begin a subject.
enum AttemptStart: Hashable, Sendable {
    case begun
    case left
    /// The subject is now in quarantine; this is logged.
    case quarantined(QuarantinedSubject)
}

/// A subject that was quarantined, with the reason.
struct QuarantinedSubject: Hashable, Sendable {
    let subject: WorkSubject
    let attempts: Int
    /// The last error. Nil if the subject crashed the process each time.
    let error: String?

    var reason: String {
        let times = attempts == 1 ? "once" : "\(attempts) times"
        return error.map { "It was tried alone \(times) and failed: \($0)" }
            ?? "It was tried alone \(times), and each time the server process ended before it was done."
    }
}

/// Chooses the next of the subjects that wait to be processed alone: one with the fewest attempts, so that one that
/// crashes the process does not keep the others waiting.
enum AttemptOrder {
    static func next(of open: [WorkAttempt], by owner: String, now: Date) -> WorkAttempt? {
        open.filter { !$0.isClosed(to: owner, at: now) }
            .min {
                ($0.attempts, $0.subject.number, $0.subject.part) < ($1.attempts, $1.subject.number, $1.subject.part)
            }
    }
}

/// The subject that one worker has begun alone: one subject at a time, so that it is known which one crashes the
/// process.
struct LoneWork<Subject: Hashable & Sendable>: Sendable {
    private var underWay: (subject: Subject, since: Date)?

    /// Whether another subject may begin.
    func isFree(at now: Date) -> Bool {
        guard let underWay else { return true }
        // A clock that was set back does not extend the wait.
        return abs(now.timeIntervalSince(underWay.since)) >= AttemptRule.patience
    }

    mutating func begin(_ subject: Subject, at now: Date) {
        underWay = (subject, now)
    }

    /// Notes that the subject has made progress, or has ended.
    ///
    /// - Returns: whether another one may begin because of that.
    @discardableResult
    mutating func end(_ subject: Subject) -> Bool {
        guard underWay?.subject == subject else { return false }
        underWay = nil
        return true
    }
}

/// Lets groups and single subjects take turns, so that neither keeps the other waiting, even if the single one crashes
/// the process each time.
final class AlternatingTurns: Sendable {
    private let isAlonesTurn = Mutex(false)

    /// - Parameters:
    ///   - group: whether a group waits.
    ///   - alone: whether a subject waits that is processed alone.
    /// - Returns: whether the single subject is next.
    func isAlone(group: Bool, alone: Bool) -> Bool {
        isAlonesTurn.withLock { isAlonesTurn in
            let isAlone = alone && (isAlonesTurn || !group)
            isAlonesTurn = !isAlone
            return isAlone
        }
    }
}
