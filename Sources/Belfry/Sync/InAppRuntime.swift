import BelfryInAppRenderer
import BelfryRules
import Foundation

/// What the engine knows of in-app messages beside what is stored; it ends with the process.
struct InAppRuntime: Sendable {
    /// Nil until it is first needed.
    var shelf: InAppShelf?
    var isPaused = false
    var delegate: (any InAppMessageDelegate)?
    /// The message on the screen, or on its way there.
    var showing: InAppShowing?
    var inlines = InlineUses()
    /// Up to when places heard of inline messages that began; the server's time.
    var inlinesToldUntil: Date?
    /// Until when its loop sleeps, and which wakes it had seen before it fell asleep.
    var nap: (until: Date, generation: Int)?
    private var numbers = 0

    /// A number that nothing else in this process has.
    mutating func nextNumber() -> Int {
        numbers += 1
        return numbers
    }
}

/// What is to be done about a message after the rules were stored.
enum InAppEffect: Sendable {
    case load(InAppTicket)
    /// The actions of a message that shows nothing.
    case run(InAppMessage)
    case tell(InAppDecisionReport)
    /// The page that is being loaded is let go of.
    case drop(InAppTicket, InAppReason)
    /// What is on the screen is taken away.
    case close(InAppTicket, InAppReason)
}

/// A message on its way to the screen, or on it.
struct InAppShowing: Sendable {
    enum Step: Sendable {
        /// The app is asked and the page is loaded.
        case loading
        case presenting
        case onScreen
    }

    /// Of this process, so that what comes late is known as such.
    let number: Int
    let ticket: InAppTicket
    /// As it is shown.
    let message: InAppMessage
    var step = Step.loading
    var task: Task<Void, Never>?
    var page: (any InAppPresentation)?
    var time = ScreenTime()
    /// How often the page has asked for something.
    var commands = 0
    /// Those who asked for the message: nil is the good news.
    var askers: [CheckedContinuation<InAppReason?, Never>] = []
}
