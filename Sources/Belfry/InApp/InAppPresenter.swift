import BelfryInAppRenderer

/// Shows in-app messages on a screen (IAM-12).
///
/// A message is shown in two steps, so that nothing of it is visible before the SDK has stored the intent to show it:
/// ``prepare(_:)`` loads its page, ``InAppPresentation/present()`` puts it on the screen.
public protocol InAppPresenter: Sendable {
    /// Loads a page off screen, with its images. When it throws, the message is not shown, does not count and may be
    /// shown later; when it throws ``InAppScreenMissing`` it is tried again soon. The SDK cancels the task if it takes
    /// too long, or if the message is no longer wanted.
    func prepare(_ page: InAppDisplay) async throws -> any InAppPresentation
}

/// The app has no screen at the moment, for example while a system dialog covers it: the message is tried again with
/// growing delays, and when the app comes to the foreground.
public struct InAppScreenMissing: Error {
    /// Creates the error; it has no details.
    public init() {}
}

/// One loaded page, to be shown once.
public protocol InAppPresentation: Sendable {
    /// Puts the page on the screen.
    ///
    /// - Returns: true once it is really there (IAM-8); false when there is no screen for it, for example because the
    ///   app has gone to the background: then it was not seen, and is tried again.
    func present() async -> Bool
    /// The page's commands, in order; read them once. The stream ends when the page is gone, also when the system
    /// removed it, for example with its window.
    var commands: AsyncStream<InAppBridgeCommand> { get }
    /// Removes the page from the screen, or discards one that was never shown. May be called for a page that is already
    /// gone.
    func close() async
}
