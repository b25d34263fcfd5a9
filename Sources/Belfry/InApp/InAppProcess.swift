import BelfryInAppRenderer
import BelfryRules
import Foundation

/// What the engine knows of in-app messages beside what is stored; it ends with the process.
struct InAppProcess: Sendable {
    /// Nil until it is first needed.
    var shelf: InAppShelf?
    var isPaused = false
    var delegate: (any InAppMessageDelegate)?
    /// The message on the screen, or on its way there.
    var showing: InAppShowing?
    var inlines = InlineUses()
    /// Up to when places heard of inline messages that began; the server's time.
    var inlinesToldUntil: Date?
    private var numbers = 0

    /// A number that nothing else in this process has.
    mutating func nextNumber() -> Int {
        numbers += 1
        return numbers
    }

    /// A message is on its way to the screen: the app is asked, or the page is loaded.
    var isMoving: Bool {
        guard let showing else { return false }
        return showing.step != .onScreen
    }

    /// The message with this number, if it is still wanted.
    func showing(_ number: Int) -> InAppShowing? {
        guard let showing, showing.number == number else { return nil }
        return showing
    }

    /// Lets go of the message on the screen, or on its way there.
    mutating func endShowing(_ reason: InAppReason, _ how: InAppDismissal, _ effects: inout [Effect]) {
        guard let former = showing else { return }
        showing = nil
        effects.append(.endShowing(former, reason, how))
    }
}

/// A message on its way to the screen, or on it.
struct InAppShowing: Sendable {
    /// Waits for the message to be seen; nil is the good news.
    typealias Asker = CheckedContinuation<InAppReason?, Never>

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
    var askers: [Asker] = []
}
