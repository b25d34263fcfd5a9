/// A message on its way to the screen. Each attempt has a number of its own, so that what comes late is known as such.
public struct InAppTicket: Hashable, Sendable, Codable {
    public let number: Int
    public let messageID: String
    public let campaignID: String
    public let version: Int
    /// The app asked for it by its id; nothing has triggered it.
    public let isAsked: Bool
}

/// A message that is not shown, or not yet, and why.
public struct InAppFinding: Hashable, Sendable {
    public let messageID: String
    public let campaignID: String
    public let version: Int
    public let reason: InAppReason
    /// It is looked at again by itself; otherwise the next event that matches decides anew.
    public let waits: Bool
    /// Nothing was said of this message with this reason in the session before.
    public let isFirst: Bool
}

/// What is to be done about a message. The rules are to be stored before it is done.
public enum InAppDecision: Hashable, Sendable {
    /// Ask the app, and load the page off screen. Then comes ``InAppRules/mayPresent(_:at:in:policy:)``, or
    /// ``InAppRules/vetoed(_:)``, ``InAppRules/deferred(_:)``, ``InAppRules/loadFailed(_:in:)``,
    /// ``InAppRules/screenMissing(_:at:in:)``.
    case load(InAppTicket)
    /// Put the loaded page on the screen. Then comes ``InAppRules/shown(_:at:)`` or
    /// ``InAppRules/screenMissing(_:at:in:)``.
    case present(InAppTicket)
    /// Run the actions of a message that shows nothing. It counts as shown already, and nothing follows.
    case run(InAppTicket)
    /// Tell why.
    case notShown(InAppFinding)
    /// Let go of the page that is being loaded. Nothing follows.
    case drop(InAppTicket, InAppReason)
    /// Take the message off the screen. For a recall ``InAppRules/closed(_:at:)`` follows; of a person who has left
    /// nothing is kept any more, and it changes nothing.
    case close(InAppTicket, InAppReason)
    /// The process died while the message was put on the screen. Nobody knows whether it was seen; it counts.
    case assumedShown(InAppTicket)
}
