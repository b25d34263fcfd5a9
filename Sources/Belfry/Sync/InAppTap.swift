import BelfryInAppRenderer
import BelfryModel

/// Something that a person pressed in a page, or that the marketer's page asks for.
struct InAppTap: Hashable, Sendable {
    /// Nil for a button of the marketer's page: what it does the page says by itself.
    var action: InAppAction?
    /// Nil for the message itself.
    var buttonID: String?
    /// It counts as a click; an event that the page asks for does not.
    var isClick = true
    /// The message goes with it.
    var closes = false

    /// What a button does stands in the message and not in the page (IAM-12).
    ///
    /// - Parameter former: what the page said before: a link that is also a button says so twice, and counts once.
    /// - Returns: nil for a command that does nothing, such as that of a button that the message does not have.
    init?(_ command: InAppBridgeCommand, after former: InAppBridgeCommand?, in message: InAppMessage) {
        switch command {
        case .click(let id?):
            buttonID = id
            if let button = message.content.buttons?.first(where: { $0.id == id }) {
                action = button.action
                closes = true
            } else if message.content.html == nil {
                return nil
            }
        case .click(nil):
            guard let own = message.content.action else { return nil }
            action = own
            closes = true
        case .event(let name, let attributes):
            action = InAppAction(type: .event, name: name, attributes: attributes.isEmpty ? nil : attributes)
            isClick = false
        case .openLink(let url):
            action = InAppAction(type: .openUrl, url: url)
            isClick = !Self.isClick(former)
        case .pushSettings:
            action = InAppAction(type: .pushSettings)
            isClick = !Self.isClick(former)
        case .loaded, .resized, .close: return nil
        }
    }

    private static func isClick(_ command: InAppBridgeCommand?) -> Bool {
        if case .click? = command { true } else { false }
    }
}
