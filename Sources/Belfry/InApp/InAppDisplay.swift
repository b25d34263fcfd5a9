import BelfryInAppRenderer

/// A page to be shown.
public struct InAppDisplay: Hashable, Sendable {
    /// The message that it shows.
    public let message: InAppMessage
    /// The whole page, self-contained and with its own Content-Security-Policy.
    public let html: String
    /// A secret that each command of the page must contain. An earlier page, or another message's, does not know it.
    public let nonce: String
    /// The URL schemes that the page may open.
    public let linkSchemes: Set<String>

    /// Creates a page for tests of a presenter. The SDK creates those of its messages.
    public init(
        message: InAppMessage,
        html: String,
        nonce: String,
        linkSchemes: Set<String> = InAppLinks.standardSchemes
    ) {
        self.message = message
        self.html = html
        self.nonce = nonce
        self.linkSchemes = linkSchemes
    }
}

extension InAppDisplay {
    /// Reads what the page has posted to the bridge (``BelfryInAppRenderer/InAppBridge/handlerName``). Only accept
    /// posts from the main frame.
    ///
    /// - Returns: nil for a post that this page cannot have sent; ignore it.
    public func command(posted body: Any) -> InAppBridgeCommand? {
        try? InAppBridgeCommand(body: body, nonce: nonce, linkSchemes: linkSchemes)
    }
}

/// A message for a view of the app, by its view id (IAM-12).
///
/// The view of a platform, such as `BelfryInlineMessageView`, loads, shows and counts it. If you show it in your own
/// view, report that: ``BelfryClient/inlineMessageShown(_:)``.
public struct InlineMessage: Identifiable, Hashable, Sendable {
    /// The page, to load into a web view as an ``InAppPresenter`` does.
    public let display: InAppDisplay
    /// Identifies this use of the message.
    let inlineID: Int

    init(display: InAppDisplay, inlineID: Int) {
        self.display = display
        self.inlineID = inlineID
    }
}

extension InlineMessage {
    /// The ``InAppMessage/id``.
    public var id: String { display.message.id }
    /// The message that the page shows.
    public var message: InAppMessage { display.message }
    /// The whole page.
    public var html: String { display.html }
}
