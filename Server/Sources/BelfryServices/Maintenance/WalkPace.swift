import Foundation

/// Decides when a walk over a table saves its position. Saving it with each page would be most of the work. But a walk
/// that finds nothing writes nothing else, and if a healthy server were killed several times during it, that would look
/// like the walk's fault (SEC-8).
///
/// A row that crashes the process deep in the table is found all the same: the next attempt continues at the last saved
/// position and meets the row before it saves another.
struct WalkPace: Sendable {
    /// The most pages between two saved positions.
    static let pages = 256
    /// The most seconds between two saved positions, where pages are slow.
    static let interval: TimeInterval = 5

    private var seen = 0
    private var since: Date

    init(at now: Date) {
        since = now
    }

    /// Counts a page that is done. Returns whether the position is to be saved.
    mutating func isToBeNoted(at now: Date) -> Bool {
        seen += 1
        guard seen >= Self.pages || abs(now.timeIntervalSince(since)) >= Self.interval else { return false }
        (seen, since) = (0, now)
        return true
    }
}
