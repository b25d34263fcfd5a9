import BelfryStore
import Foundation
import Synchronization

/// What to do with something that may end the process when it is worked on alone (SEC-8).
enum AttemptRule {
    /// How often a subject is begun alone without an end, before it is set aside.
    static let maximum = 3
    /// How long a subject is nobody else's once it was begun, in seconds, where no lease of its own says so.
    static let lease: TimeInterval = 15
    /// How long the next subject waits for one that was begun alone and shows no progress, in seconds: what ends a
    /// process does so at once, and a push service that does not answer must not hold up the others.
    static let patience: TimeInterval = 5

    enum Decision: Hashable, Sendable {
        /// Begin it, as the attempt with this number.
        case begin(attempt: Int)
        /// It was begun too often without an end: quarantine it.
        case quarantine
        /// It is in quarantine, or another process works on it.
        case leave
    }

    /// - Parameters:
    ///   - known: what is known of its attempts; nil for nothing.
    ///   - owner: who asks. What it has begun itself, and has not ended, did not end it: it goes on with that attempt.
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
    /// It is in quarantine from now on; this is logged.
    case quarantined(QuarantinedSubject)
}

/// A subject that was quarantined, and why.
struct QuarantinedSubject: Hashable, Sendable {
    let subject: WorkSubject
    let attempts: Int
    /// Nil when it ended the process each time.
    let error: String?

    var reason: String {
        let times = attempts == 1 ? "once" : "\(attempts) times"
        return error.map { "It was tried alone \(times) and failed: \($0)" }
            ?? "It was tried alone \(times), and each time the server process ended before it was done."
    }
}

/// Which of the subjects that wait to be worked on alone is next: one that was begun least often, so that what ends the
/// process does not keep the others waiting.
enum AttemptOrder {
    static func next(of open: [WorkAttempt], by owner: String, now: Date) -> WorkAttempt? {
        open.filter { !$0.isClosed(to: owner, at: now) }
            .min {
                ($0.attempts, $0.subject.number, $0.subject.part) < ($1.attempts, $1.subject.number, $1.subject.part)
            }
    }
}

/// What one worker has begun alone: one subject at a time, so that it is known which of them ends the process.
struct LoneWork<Subject: Hashable & Sendable>: Sendable {
    private var underWay: (subject: Subject, since: Date)?

    /// Whether another one may be begun.
    func isFree(at now: Date) -> Bool {
        guard let underWay else { return true }
        return now.timeIntervalSince(underWay.since) >= AttemptRule.patience
    }

    mutating func begin(_ subject: Subject, at now: Date) {
        underWay = (subject, now)
    }

    /// It got on, or has ended.
    ///
    /// - Returns: whether that lets another one begin.
    @discardableResult
    mutating func end(_ subject: Subject) -> Bool {
        guard underWay?.subject == subject else { return false }
        underWay = nil
        return true
    }
}

/// Lets what is worked on in groups and what is worked on alone take turns, so that neither keeps the other waiting:
/// not even when the one that is worked on alone ends the process each time.
final class AlternatingTurns: Sendable {
    private let isAlonesTurn = Mutex(false)

    /// - Parameters:
    ///   - group: whether a group waits.
    ///   - alone: whether something waits that is worked on alone.
    /// - Returns: whether that one is next.
    func isAlone(group: Bool, alone: Bool) -> Bool {
        isAlonesTurn.withLock { isAlonesTurn in
            let isAlone = alone && (isAlonesTurn || !group)
            isAlonesTurn = !isAlone
            return isAlone
        }
    }
}
