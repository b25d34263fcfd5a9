import BelfryInAppRenderer
import BelfryModel

/// Something that a person pressed in a page, or that the marketer's page asks for.
struct InAppTap: Hashable, Sendable {
    /// Commands of one page that are obeyed; whoever says more is no person.
    static let maximumCommands = 200

    /// Nil for a button of the marketer's page: what it does the page says by itself.
    var action: InAppAction?
    /// Nil for the message itself.
    var buttonID: String?
    /// It counts as a click; what the page asks for beside it does not.
    var isClick = true
    /// The message goes with it.
    var closes = false

    /// What a button does stands in the message and not in the page (IAM-12).
    ///
    /// What the marketer's page asks for counts by the click that it says before it, once for a press.
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
    /// What is pressed in the marketer's own page, and what it leads to, that page says.
    fileprivate var hasOwnPage: Bool { content.html != nil && (type == .html || type == .inline) }
}
