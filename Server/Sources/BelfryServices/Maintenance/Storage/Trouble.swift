import Foundation

/// A run of failures, which is told of when it begins and when it has ended, and not each time.
struct Trouble: Sendable {
    /// What is told at its end.
    struct Summary: Hashable, Sendable {
        let failures: Int
        let seconds: Int
    }

    /// It has ended when nothing has failed for so long, in seconds: what fails now and then is one trouble.
    static let calm: TimeInterval = 5

    private var since: Date?
    private var lastFailure = Date.distantPast
    private var failures = 0
    /// Whether the last attempt failed.
    private(set) var isFailing = false
    /// The last failure was that there is no room.
    private(set) var meansNoRoom = false

    var hasBegun: Bool { since != nil }

    /// - Returns: whether it begins with this.
    mutating func fail(_ error: any Error, now: Date) -> Bool {
        defer { since = since ?? now }
        failures += 1
        lastFailure = now
        isFailing = true
        meansNoRoom = error.meansNoRoom
        return since == nil
    }

    mutating func succeed() {
        isFailing = false
        meansNoRoom = false
    }

    /// - Returns: what was of it, when it has ended.
    mutating func end(now: Date) -> Summary? {
        // A clock that was set back meanwhile keeps nothing open.
        guard let since, !isFailing, now < lastFailure || now.timeIntervalSince(lastFailure) >= Self.calm else {
            return nil
        }
        let summary = Summary(failures: failures, seconds: max(Int(lastFailure.timeIntervalSince(since)), 0))
        self = Trouble()
        return summary
    }
}
