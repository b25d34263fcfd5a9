import BelfryInAppRenderer
import BelfryRules
import Foundation

/// The inline messages that the app's views have requested, by their ids (IAM-12).
struct InlineUses: Sendable {
    /// The maximum number of uses; beyond it the oldest are removed.
    static let maximumKnown = 100

    struct Use: Sendable {
        let message: InAppMessage
        let candidate: InAppCandidate
        var time = ScreenTime()
        var isShown = false
        /// The number of commands from the page.
        var commands = 0
    }

    private var uses: [Int: Use] = [:]

    subscript(inlineID: Int) -> Use? {
        get { uses[inlineID] }
        set { uses[inlineID] = newValue }
    }

    /// The visible ones, the oldest first.
    var shown: [Int] { uses.keys.filter { uses[$0]?.isShown == true }.sorted() }

    /// The ids beyond the maximum.
    var surplus: Set<Int> { Set(uses.keys.sorted().dropLast(Self.maximumKnown)) }

    /// Removes these uses.
    mutating func end(inlineIDs: Set<Int>) {
        for inlineID in inlineIDs {
            uses[inlineID] = nil
        }
    }

    /// The ids of these messages.
    func inlineIDs(of messages: Set<String>) -> Set<Int> {
        Set(uses.filter { messages.contains($0.value.message.id) }.keys)
    }

    /// Removes the uses of messages, or all of them.
    ///
    /// - Parameter messages: nil for all.
    /// - Returns: their ids.
    mutating func end(_ messages: Set<String>? = nil) -> Set<Int> {
        let ended = uses.filter { messages?.contains($0.value.message.id) ?? true }
        for inlineID in ended.keys {
            uses[inlineID] = nil
        }
        return Set(ended.keys)
    }

    /// Starts or stops the time of the visible messages, when the app is shown or hidden.
    mutating func showScreen(_ isShown: Bool, at now: Date) {
        for inlineID in uses.keys where uses[inlineID]?.isShown == true {
            uses[inlineID]?.time.show(isShown, at: now)
        }
    }
}

/// The time for which a message was visible; time for which the app was in the background does not count (IAM-9).
struct ScreenTime: Sendable {
    private var since: Date?
    private var seconds: TimeInterval = 0

    /// The message becomes visible.
    mutating func begin(at now: Date) {
        if since == nil { since = now }
    }

    /// The message is no longer visible.
    mutating func end(at now: Date) {
        seconds = total(at: now)
        since = nil
    }

    mutating func show(_ isShown: Bool, at now: Date) {
        if isShown { begin(at: now) } else { end(at: now) }
    }

    /// The seconds so far. A clock that was set back does not reduce them.
    func total(at now: Date) -> TimeInterval {
        seconds + max(0, since.map { now.timeIntervalSince($0) } ?? 0)
    }
}
