import BelfryModel
import BelfryServerModel

/// What happens when a notification or its button is tapped, as clients of Mobile Engage v3 read it (WIRE-29; v3 facts,
/// 3.3).
struct V3Action: Encodable {
    static let openExternalURL = "OpenExternalUrl"
    /// A type that these clients do not know: the button opens the app and is reported, and nothing else happens.
    static let launchApp = "LaunchApp"

    /// Of a button. A default action that had one would be reported as a button.
    var id: String?
    var title: String?
    let type: String
    var url: String?

    /// Nil where a tap only opens the app. Rich HTML is no address, so these clients cannot open it.
    init?(_ action: NotificationAction?) {
        guard let action, action.type != .launchApp, let url = action.url else { return nil }
        type = Self.openExternalURL
        self.url = url
    }

    init(_ button: NotificationButton) {
        let action = V3Action(button.action)
        id = button.id
        title = button.text
        type = action?.type ?? Self.launchApp
        url = action?.url
    }
}

/// The object `ems` of a push.
struct V3Ems: Encodable {
    enum CodingKeys: String, CodingKey {
        case multichannelID = "multichannelId"
        case silent, actions, notificationMethod
        case defaultAction = "default_action"
    }

    /// Which shown notification this one replaces (Android).
    struct NotificationMethod: Encodable {
        let collapseId: String
        let operation = "INIT"
    }

    let multichannelID: String
    /// Android shows nothing.
    var silent: Bool?
    var actions: [V3Action]?
    var defaultAction: V3Action?
    var notificationMethod: NotificationMethod?

    init(_ content: PushContent, style: PushStyle, campaign: CampaignID) {
        multichannelID = campaign.description
        guard style == .alert else { return }
        let buttons = content.buttons ?? []
        actions = buttons.isEmpty ? nil : buttons.map(V3Action.init)
        defaultAction = V3Action(content.action)
    }
}

/// The object `u`, by whose `sid` these clients report a tap.
struct V3Tracking: Encodable {
    let sid = PayloadPlaceholder.messageID.marker
}
