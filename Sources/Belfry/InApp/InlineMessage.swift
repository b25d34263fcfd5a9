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
