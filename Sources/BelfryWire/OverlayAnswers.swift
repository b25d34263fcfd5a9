import BelfryModel

/// What a client of version 3 shows at once, in the answer to its events (WIRE-6, IAM-13).
public struct OverlayMessage: Hashable, Sendable, Codable {
    public var campaignId: String
    /// A whole page, with the bridge of version 3.
    public var html: String

    public init(campaignId: String, html: String) {
        self.campaignId = campaignId
        self.html = html
    }
}

/// What a client of version 3 does at once, in the answer to its events (WIRE-6, IAM-13).
public struct OnEventAction: Hashable, Sendable, Codable {
    public var campaignId: String
    public var actions: [OverlayAction]

    public init(campaignId: String, actions: [OverlayAction]) {
        self.campaignId = campaignId
        self.actions = actions
    }
}

/// An action in the words of version 3.
public struct OverlayAction: Hashable, Sendable, Codable {
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The app's event handler is called.
        case appEvent = "MEAppEvent"
        /// A custom event is tracked.
        case customEvent = "MECustomEvent"
        case openExternalUrl = "OpenExternalUrl"
    }

    public var type: Kind
    /// Of the two events.
    public var name: String?
    /// Of the two events.
    public var payload: [String: AttributeValue]?
    /// Of `OpenExternalUrl`.
    public var url: String?

    public init(
        type: Kind, name: String? = nil, payload: [String: AttributeValue]? = nil, url: String? = nil
    ) {
        self.type = type
        self.name = name
        self.payload = payload
        self.url = url
    }
}

/// `POST /inline-messages` (WIRE-14).
public struct InlineMessagesAnswer: Hashable, Sendable, Codable {
    public struct Message: Hashable, Sendable, Codable {
        public var campaignId: String
        /// A whole page, with the bridge of version 3.
        public var html: String
        /// As the client asked for it.
        public var viewId: String

        public init(campaignId: String, html: String, viewId: String) {
            self.campaignId = campaignId
            self.html = html
            self.viewId = viewId
        }
    }

    public var inlineMessages: [Message]
    /// Campaigns of which the client may forget what was seen and pressed.
    public var oldCampaigns: [String]

    public init(inlineMessages: [Message], oldCampaigns: [String] = []) {
        self.inlineMessages = inlineMessages
        self.oldCampaigns = oldCampaigns
    }
}
