/// An attempt to show a message. Each attempt has its own number, so that late results can be recognized.
public struct InAppPresentationID: Hashable, Sendable, Codable {
    public let number: Int
    public let messageID: String
    public let campaignID: String
    public let version: Int
    /// Whether the app asked for it by its id; it was not triggered.
    public let isAsked: Bool
}

/// A message that is not shown, or not yet, and why.
public struct InAppNotShown: Hashable, Sendable {
    public let messageID: String
    public let campaignID: String
    public let version: Int
    public let reason: InAppReason
    /// Whether it is checked again by itself; otherwise the next event that matches decides again.
    public let waits: Bool
    /// Whether this message and reason are reported for the first time in the session.
    public let isFirst: Bool
}

/// The next step for a message. The rules must be stored before it is carried out.
public enum InAppDecision: Hashable, Sendable {
    /// Ask the app, and load the page off screen. Call ``InAppRules/mayPresent(_:at:in:policy:)`` next, or
    /// ``InAppRules/vetoed(_:)``, ``InAppRules/deferred(_:)``, ``InAppRules/loadFailed(_:in:)``,
    /// ``InAppRules/screenMissing(_:at:in:)``.
    case load(InAppPresentationID)
    /// Put the loaded page on the screen. Call ``InAppRules/shown(_:at:)`` or ``InAppRules/screenMissing(_:at:in:)``
    /// next.
    case present(InAppPresentationID)
    /// Run the actions of a message that shows nothing. It already counts as shown, and no call follows.
    case run(InAppPresentationID)
    /// Report the reason.
    case notShown(InAppNotShown)
    /// Discard the page that is being loaded. No call follows.
    case drop(InAppPresentationID, InAppReason)
    /// Remove the message from the screen. For a recall call ``InAppRules/closed(_:at:)`` next; for a person who has
    /// left it changes nothing, because their state is gone.
    case close(InAppPresentationID, InAppReason)
    /// The process died while the message was put on the screen. It is unknown whether it was seen; it counts.
    case assumedShown(InAppPresentationID)
}
