import BelfryInAppRenderer
import BelfryModel

/// A press in a page, or a request of the marketer's page.
struct InAppTap: Hashable, Sendable {
    /// The maximum number of commands that are accepted from one page; a person does not press more.
    static let maximumCommands = 200

    /// Nil for a button of the marketer's page, because that page sends the action separately.
    var action: InAppAction?
    /// Nil for the message itself.
    var buttonID: String?
    /// Whether it counts as a click; an action that the page sends separately does not.
    var isClick = true
    /// Whether the message closes.
    var closes = false

    /// The action of a button comes from the message and not from the page (IAM-12).
    ///
    /// An action in the marketer's page is counted by the click that the page sends before it, once for a press.
    ///
    /// - Returns: nil for a command that does nothing, such as that of a button that the message does not have.
    init?(_ command: InAppBridgeCommand, in message: InAppMessage) {
        switch command {
        case .click(let id?):
            buttonID = id
            if let button = message.content.buttons?.first(where: { $0.id == id }) {
                action = button.action
                closes = true
            } else if !message.hasOwnPage {
                return nil
            }
        case .click(nil):
            if message.hasOwnPage { return }
            guard let own = message.content.action else { return nil }
            action = own
            closes = true
        case .event(let name, let attributes):
            action = InAppAction(type: .event, name: name, attributes: attributes.isEmpty ? nil : attributes)
            isClick = false
        case .openLink(let url):
            action = InAppAction(type: .openUrl, url: url)
            isClick = false
        case .pushSettings:
            action = InAppAction(type: .pushSettings)
            isClick = false
        case .loaded, .resized, .close: return nil
        }
    }
}

extension InAppMessage {
    /// The marketer's own page sends clicks and their actions itself.
    fileprivate var hasOwnPage: Bool { content.html != nil && (type == .html || type == .inline) }
}
