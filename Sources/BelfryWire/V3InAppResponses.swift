import BelfryModel

/// A message that a v3 client shows at once, in the response to its events (WIRE-6, IAM-13).
public struct V3InAppMessage: Hashable, Sendable, Codable {
    public var campaignId: String
    /// A whole page, with the v3 bridge.
    public var html: String

    public init(campaignId: String, html: String) {
        self.campaignId = campaignId
        self.html = html
    }
}

/// Actions that a v3 client carries out at once, in the response to its events (WIRE-6, IAM-13).
public struct OnEventAction: Hashable, Sendable, Codable {
    public var campaignId: String
    public var actions: [V3InAppAction]

    public init(campaignId: String, actions: [V3InAppAction]) {
        self.campaignId = campaignId
        self.actions = actions
    }
}

/// An action in v3's format.
public struct V3InAppAction: Hashable, Sendable, Codable {
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The app's event handler is called.
        case appEvent = "MEAppEvent"
        /// A custom event is tracked.
        case customEvent = "MECustomEvent"
        case openExternalUrl = "OpenExternalUrl"
    }

    public var type: Kind
    /// For the two events.
    public var name: String?
    /// For the two events.
    public var payload: [String: AttributeValue]?
    /// For `OpenExternalUrl`.
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
public struct InlineMessagesResponse: Hashable, Sendable, Codable {
    public struct Message: Hashable, Sendable, Codable {
        public var campaignId: String
        /// A whole page, with the v3 bridge.
        public var html: String
        /// Spelled as in the request.
        public var viewId: String

        public init(campaignId: String, html: String, viewId: String) {
            self.campaignId = campaignId
            self.html = html
            self.viewId = viewId
        }
    }

    public var inlineMessages: [Message]
    /// Campaigns whose displays and clicks the client may forget.
    public var oldCampaigns: [String]

    public init(inlineMessages: [Message], oldCampaigns: [String] = []) {
        self.inlineMessages = inlineMessages
        self.oldCampaigns = oldCampaigns
    }
}
