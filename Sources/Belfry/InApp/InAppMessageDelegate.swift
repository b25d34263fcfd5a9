import BelfryModel

/// Lets the app decide about each in-app message, and hear of it (IAM-7). Everything has a default, so an app writes
/// what it needs.
///
/// The client keeps it until another one is set. It is asked and told off the main thread, for one message after the
/// other.
public protocol InAppMessageDelegate: Sendable {
    /// A message is about to be loaded and shown. The answer may take its time, and no other message is shown meanwhile;
    /// answer and loading together have a minute, then the occasion is over. If the person logs out, or the message is
    /// recalled, before the answer, it is not shown whatever the answer is.
    func shouldShow(_ message: InAppMessage) async -> InAppDisplayAnswer
    /// The message is on the screen.
    func didShow(_ message: InAppMessage) async
    /// The message is no longer on the screen.
    func didClose(_ message: InAppMessage, how: InAppDismissal) async
    /// The person pressed a button, or touched what leads somewhere.
    ///
    /// - Returns: whether the app did it. If not, the SDK does: it opens addresses and the settings for pushes. An event
    ///   is tracked in both cases.
    func handle(_ action: InAppAction, of message: InAppMessage) async -> Bool
}

extension InAppMessageDelegate {
    /// Shows every message.
    public func shouldShow(_ message: InAppMessage) async -> InAppDisplayAnswer { .show }
    /// Nothing.
    public func didShow(_ message: InAppMessage) async {}
    /// Nothing.
    public func didClose(_ message: InAppMessage, how: InAppDismissal) async {}
    /// Leaves it to the SDK.
    public func handle(_ action: InAppAction, of message: InAppMessage) async -> Bool { false }
}

/// The app's answer to a message that is about to be shown.
public enum InAppDisplayAnswer: String, Hashable, Sendable, Codable, CaseIterable {
    /// It is shown.
    case show
    /// It is not shown for this occasion. It stays on the device, does not count as shown, and its trigger may bring it
    /// again, or ``BelfryClient/showInAppMessage(id:)``.
    case veto
    /// Not now: the app is asked again when it comes to the foreground, resumes display or begins a session, and at the
    /// next trigger; or it asks for the message itself.
    case `defer`
}
