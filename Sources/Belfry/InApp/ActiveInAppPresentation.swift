import BelfryRules

/// A message that is on the screen or about to be shown.
struct ActiveInAppPresentation: Sendable {
    /// A caller that waits until the message is shown. It gets nil when it is shown, otherwise the reason why it is not.
    typealias Asker = CheckedContinuation<InAppReason?, Never>

    enum Step: Sendable {
        /// The app is asked for its decision, or the page is loaded.
        case loading
        case presenting
        case onScreen
    }

    /// Unique in this process, so that late results can be recognized.
    let number: Int
    let id: InAppPresentationID
    /// The message in the version that is shown.
    let message: InAppMessage
    var step = Step.loading
    var task: Task<Void, Never>?
    var page: (any InAppPresentation)?
    var time = ScreenTime()
    /// The number of commands from the page.
    var commands = 0
    var askers: [Asker] = []
}
