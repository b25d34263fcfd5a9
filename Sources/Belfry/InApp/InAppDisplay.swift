import BelfryInAppRenderer

/// A page to be shown.
public struct InAppDisplay: Hashable, Sendable {
    /// The message that it shows.
    public let message: InAppMessage
    /// The whole page, self-contained and with its own Content-Security-Policy.
    public let html: String
    /// What the page says must carry it; a page made before, or another's, does not know it.
    public let nonce: String
    /// What the links of the page may begin with.
    public let linkSchemes: Set<String>

    /// Makes a page by hand, for tests of a presenter; the SDK makes those of its messages.
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
    /// Reads what the page has posted to the bridge (``BelfryInAppRenderer/InAppBridge/handlerName``). Take it from the
    /// main frame only.
    ///
    /// - Returns: nil for what this page cannot have said; it has no effect.
    public func command(posted body: Any) -> InAppBridgeCommand? {
        try? InAppBridgeCommand(body: body, nonce: nonce, linkSchemes: linkSchemes)
    }
}

/// A message for a place in the app's own views, by its view id (IAM-12).
///
/// A platform's own view loads, shows and counts it by itself; who draws one says so:
/// ``BelfryClient/inlineMessageShown(_:)``.
public struct InlineMessage: Identifiable, Hashable, Sendable {
    /// The page, to be loaded into a web view as an ``InAppPresenter`` does.
    public let display: InAppDisplay
    /// Names this use of the message to the client.
    let ticket: Int

    init(display: InAppDisplay, ticket: Int) {
        self.display = display
        self.ticket = ticket
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
