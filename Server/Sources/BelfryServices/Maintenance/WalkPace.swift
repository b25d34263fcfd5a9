import Foundation

/// Says when a walk over a table notes how far it has come. Not with each page, for that would be most of its work; but a
/// walk that finds nothing writes nothing else, and without a note the kills of a healthy server during it would look like
/// its own fault (SEC-8).
///
/// What ends the process deep in the table is found all the same: the next attempt goes on from the last note, and meets
/// it before there is another.
struct WalkPace: Sendable {
    /// Pages between two notes, at most.
    static let pages = 256
    /// Seconds between two notes, at most, where pages are slow.
    static let interval: TimeInterval = 5

    private var seen = 0
    private var since: Date

    init(at now: Date) {
        since = now
    }

    /// Counts a page that lies behind.
    mutating func isToBeNoted(at now: Date) -> Bool {
        seen += 1
        guard seen >= Self.pages || abs(now.timeIntervalSince(since)) >= Self.interval else { return false }
        (seen, since) = (0, now)
        return true
    }
}
