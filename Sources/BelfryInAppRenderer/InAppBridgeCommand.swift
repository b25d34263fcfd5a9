import BelfryModel

/// What a page of an in-app message asks of the app that shows it (IAM-12).
public enum InAppBridgeCommand: Hashable, Sendable {
    /// How a person closed the message.
    public enum Closing: String, Hashable, Sendable, Codable, CaseIterable {
        /// By a link, or by what the page calls a button.
        case button
        /// By the cross, the Escape key, or a touch beside a banner.
        case close
        case swipe
    }

    /// The page stands, its pictures have come or failed: it may be shown.
    case loaded
    /// How high the content of a banner or an inline message is, in points; said when it is known and when it changes.
    case resized(height: Double)
    case close(Closing)
    /// A button was pressed; without an id the message itself was: its picture or banner (``InAppContent/action``).
    ///
    /// What it does stands in the message, not in the page. It closes the message.
    ///
    /// The marketer's page says one for each press that is to count, before what the press leads to: with the button's
    /// id, or without one for a plain link. There it only counts.
    case click(buttonID: String?)
    /// The marketer's page asks for an event, tracked and handed to the app. The message stays.
    case event(name: String, attributes: [String: AttributeValue])
    /// A link of the marketer's page, of a scheme that is allowed. The page says by itself whether the message closes.
    /// It does not count: the ``click(buttonID:)`` before it does.
    case openLink(url: String)
    /// The marketer's page asks for leave to send pushes. It does not count either.
    case pushSettings
}
