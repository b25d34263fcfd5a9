import BelfryModel

/// Lets the app decide about each in-app message, and tells it what happens (IAM-7). Every method has a default, so
/// implement only those that you need.
///
/// The client keeps the delegate until another one is set. It calls it off the main thread, for one message at a time.
public protocol InAppMessageDelegate: Sendable {
    /// A message is about to be loaded and shown. The decision may take time, and no other message is shown meanwhile;
    /// decision and loading together have a minute, then the occasion is over. If the person logs out, or the message
    /// is recalled, before the method returns, the message is not shown whatever it returns.
    func shouldShow(_ message: InAppMessage) async -> InAppDisplayDecision
    /// The message is on the screen.
    func didShow(_ message: InAppMessage) async
    /// The message is no longer on the screen.
    func didClose(_ message: InAppMessage, how: InAppDismissal) async
    /// The person pressed a button, or another part of the message that has an action.
    ///
    /// - Returns: whether the app carried the action out. If not, the SDK does: it opens addresses and the settings for
    ///   pushes. An event is tracked in both cases.
    func handle(_ action: InAppAction, of message: InAppMessage) async -> Bool
}

extension InAppMessageDelegate {
    /// Shows every message.
    public func shouldShow(_ message: InAppMessage) async -> InAppDisplayDecision { .show }
    /// Does nothing.
    public func didShow(_ message: InAppMessage) async {}
    /// Does nothing.
    public func didClose(_ message: InAppMessage, how: InAppDismissal) async {}
    /// Leaves the action to the SDK.
    public func handle(_ action: InAppAction, of message: InAppMessage) async -> Bool { false }
}

/// The app's decision about a message that is about to be shown.
public enum InAppDisplayDecision: String, Hashable, Sendable, Codable, CaseIterable {
    /// It is shown.
    case show
    /// It is not shown this time. It stays on the device, does not count as shown, and can be shown again by its
    /// trigger or by ``BelfryClient/showInAppMessage(id:)``.
    case veto
    /// It is not shown now: the app is asked again when it comes to the foreground, resumes display or begins a
    /// session, and at the next trigger. The app can also show the message itself.
    case `defer`
}
