import BelfryModel
import BelfryServerModel

/// The action of a tap on a notification or its button, in the form that clients of Mobile Engage v3 read (WIRE-29; v3
/// facts, 3.3).
struct V3Action: Encodable {
    static let openExternalURL = "OpenExternalUrl"
    /// A type unknown to these clients: the button opens the app and is reported, and nothing else happens.
    static let launchApp = "LaunchApp"

    /// The id of a button. A default action with an id would be reported as a button.
    var id: String?
    var title: String?
    let type: String
    var url: String?

    /// Nil if a tap only opens the app. Rich HTML has no address, so these clients cannot open it.
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

    /// The shown notification that this one replaces (Android).
    struct NotificationMethod: Encodable {
        let collapseId: String
        let operation = "INIT"
    }

    let multichannelID: String
    /// True: Android shows nothing.
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

/// The object `u`, whose `sid` these clients use to report a tap.
struct V3Tracking: Encodable {
    let sid = PayloadPlaceholder.messageID.marker
}
