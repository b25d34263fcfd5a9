import BelfryInAppRenderer
import BelfryRules
import Foundation

/// The state of in-app messages that is not stored; it ends with the process.
struct InAppRuntimeState: Sendable {
    /// Nil until it is first needed.
    var cache: InAppCache?
    var isPaused = false
    var delegate: (any InAppMessageDelegate)?
    /// The message that is on the screen or about to be shown.
    var presentation: ActiveInAppPresentation?
    var inlines = InlineUses()
    /// The server's time until which views were notified of inline messages that began.
    var inlinesOfferedUntil: Date?
    private var numbers = 0

    /// A number that is unique in this process.
    mutating func nextNumber() -> Int {
        numbers += 1
        return numbers
    }

    /// Whether a message is about to be shown: the app is asked, or the page is loaded.
    var isMoving: Bool {
        guard let presentation else { return false }
        return presentation.step != .onScreen
    }

    /// The message with this number, if it is still wanted.
    func presentation(_ number: Int) -> ActiveInAppPresentation? {
        guard let presentation, presentation.number == number else { return nil }
        return presentation
    }

    /// Ends the message that is on the screen or about to be shown.
    mutating func endPresentation(_ reason: InAppReason, _ how: InAppDismissal, _ effects: inout [Effect]) {
        guard let former = presentation else { return }
        presentation = nil
        effects.append(.endPresentation(former, reason, how))
    }
}
