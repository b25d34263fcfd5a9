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
        /// How often the page has asked for something, and for what last.
        var commands = 0
        var lastCommand: InAppBridgeCommand?
    }

    private var uses: [Int: Use] = [:]

    subscript(ticket: Int) -> Use? {
        get { uses[ticket] }
        set {
            uses[ticket] = newValue
            guard uses.count > Self.maximumKnown, let oldest = uses.keys.min() else { return }
            uses[oldest] = nil
        }
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
            if isShown { uses[ticket]?.time.begin(at: now) } else { uses[ticket]?.time.end(at: now) }
        }
    }
}
