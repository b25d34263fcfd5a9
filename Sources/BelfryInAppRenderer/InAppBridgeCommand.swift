import BelfryModel

/// A command from the page of an in-app message to the app (IAM-12).
public enum InAppBridgeCommand: Hashable, Sendable {
    /// How a person closed the message.
    public enum Closing: String, Hashable, Sendable, Codable, CaseIterable {
        /// By a link, or by a button.
        case button
        /// By the close button, the Escape key, or a touch beside a banner.
        case close
        case swipe
    }

    /// The page is complete, its images have loaded or failed: it may be shown.
    case loaded
    /// The height of the content of a banner or an inline message, in points; sent when it is known and when it
    /// changes.
    case resized(height: Double)
    case close(Closing)
    /// A button was pressed; without an id the message itself was: its image or banner (``InAppContent/action``).
    ///
    /// The action is in the message, not in the page. It closes the message.
    ///
    /// The marketer's page sends one for each press that counts, before the press's action: with the button's id, or
    /// without one for a plain link. There it only counts.
    case click(buttonID: String?)
    /// The marketer's page sends an event, which is tracked and passed to the app. The message stays.
    case event(name: String, attributes: [String: AttributeValue])
    /// A link of the marketer's page, of an allowed scheme. The page sends separately whether the message closes. It
    /// does not count, because the ``click(buttonID:)`` before it does.
    case openLink(url: String)
    /// The marketer's page asks for permission to send pushes. It does not count either.
    case pushSettings
}
