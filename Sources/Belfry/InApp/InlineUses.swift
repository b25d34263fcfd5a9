import BelfryInAppRenderer
import BelfryRules
import Foundation

/// The inline messages that the app's views have asked for, by their tickets (IAM-12).
struct InlineUses: Sendable {
    /// Views that are known at a time; beyond it the oldest go.
    static let maximumKnown = 100

    struct Use: Sendable {
        let message: InAppMessage
        let candidate: InAppCandidate
        var time = ScreenTime()
        var isShown = false
        /// How often the page has asked for something.
        var commands = 0
    }

    private var uses: [Int: Use] = [:]

    subscript(ticket: Int) -> Use? {
        get { uses[ticket] }
        set { uses[ticket] = newValue }
    }

    /// Those that are to be seen, the first first.
    var shown: [Int] { uses.keys.filter { uses[$0]?.isShown == true }.sorted() }

    /// Those that are too many.
    var surplus: Set<Int> { Set(uses.keys.sorted().dropLast(Self.maximumKnown)) }

    /// Forgets these uses.
    mutating func end(tickets: Set<Int>) {
        for ticket in tickets {
            uses[ticket] = nil
        }
    }

    /// Those of messages.
    func tickets(of messages: Set<String>) -> Set<Int> {
        Set(uses.filter { messages.contains($0.value.message.id) }.keys)
    }

    /// Forgets the uses of messages, or all of them.
    ///
    /// - Parameter messages: nil for all.
    /// - Returns: their tickets.
    mutating func end(_ messages: Set<String>? = nil) -> Set<Int> {
        let ended = uses.filter { messages?.contains($0.value.message.id) ?? true }
        for ticket in ended.keys {
            uses[ticket] = nil
        }
        return Set(ended.keys)
    }

    /// Those that are to be seen are, or are not, from now on.
    mutating func showScreen(_ isShown: Bool, at now: Date) {
        for ticket in uses.keys where uses[ticket]?.isShown == true {
            uses[ticket]?.time.show(isShown, at: now)
        }
    }
}

/// For how long a message was to be seen: the time for which the app was away does not count (IAM-9).
struct ScreenTime: Sendable {
    private var since: Date?
    private var seconds: TimeInterval = 0

    /// It is to be seen from now on.
    mutating func begin(at now: Date) {
        if since == nil { since = now }
    }

    /// It is not to be seen from now on.
    mutating func end(at now: Date) {
        seconds = total(at: now)
        since = nil
    }

    mutating func show(_ isShown: Bool, at now: Date) {
        if isShown { begin(at: now) } else { end(at: now) }
    }

    /// Seconds so far. A clock that was set back takes none away.
    func total(at now: Date) -> TimeInterval {
        seconds + max(0, since.map { now.timeIntervalSince($0) } ?? 0)
    }
}
