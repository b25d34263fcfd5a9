import BelfryInAppRenderer

/// Shows in-app messages on a screen (IAM-12).
///
/// A message is shown in two steps, so that nothing of it is seen before the SDK has stored that it is about to be:
/// ``prepare(_:)`` loads its page, ``InAppPresentation/present()`` puts it on the screen.
public protocol InAppPresenter: Sendable {
    /// Loads a page off screen, with its pictures. When it throws, the message is not shown, does not count and may be
    /// shown later; when it throws ``InAppScreenMissing`` it is tried again soon. The SDK cancels the task of one that takes too long, or that has become pointless meanwhile.
    func prepare(_ page: InAppDisplay) async throws -> any InAppPresentation
}

/// The app has no screen at the moment, as while a question of the system covers it: the message is tried again with
/// growing pauses, and when the app comes to the foreground.
public struct InAppScreenMissing: Error {
    /// Nothing more is known.
    public init() {}
}

/// One page that was loaded, to be shown once.
public protocol InAppPresentation: Sendable {
    /// Puts the page on the screen.
    ///
    /// - Returns: true once it is really there (IAM-8); false when there is no screen for it, such as when the app has
    ///   left meanwhile: then it was not seen, and is tried again.
    func present() async -> Bool
    /// What the page says, in order; it is read once. The stream ends when the page is gone, also when the system took
    /// it away, such as with the window that it was in.
    var commands: AsyncStream<InAppBridgeCommand> { get }
    /// Takes the page off the screen, or gives up one that was never shown. Also one that is gone already.
    func close() async
}
