/// How a message left the screen (IAM-9).
public enum InAppDismissal: String, Hashable, Sendable, Codable, CaseIterable {
    /// A button with an action, or what leads somewhere, was pressed.
    case button
    /// It was closed: by its cross, the Escape key, or a touch beside it.
    case close
    /// A banner was swiped away.
    case swipe
    /// The SDK took it away: it was recalled, the person left, or its window went.
    case replaced
}
