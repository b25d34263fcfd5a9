import BelfryModel

/// `GET …/explain` (LED-2).
public struct ExplainAnswer: Hashable, Sendable, Codable {
    public struct Step: Hashable, Sendable, Codable {
        public var at: String
        public var what: String
        public var detail: String?

        public init(at: String, what: String, detail: String? = nil) {
            self.at = at
            self.what = what
            self.detail = detail
        }
    }

    /// A delivery state, or `notInAudience`.
    public var state: String
    public var reason: String?
    public var sentence: String
    public var history: [Step]

    public init(state: String, reason: String? = nil, sentence: String, history: [Step]) {
        self.state = state
        self.reason = reason
        self.sentence = sentence
        self.history = history
    }
}

/// `GET …/devices/{clientId}/messages`: what became of each campaign at a device, the newest campaign first (LED-2).
public struct DeviceMessagesAnswer: Hashable, Sendable, Codable {
    public struct Entry: Hashable, Sendable, Codable {
        /// The campaign's id.
        public var campaign: String
        public var name: String
        public var kind: CampaignKind
        /// A delivery state.
        public var state: String
        public var reason: String?
        public var sentence: String
        /// When it came to be so.
        public var at: String

        public init(
            campaign: String, name: String, kind: CampaignKind, state: String, reason: String? = nil,
            sentence: String, at: String
        ) {
            self.campaign = campaign
            self.name = name
            self.kind = kind
            self.state = state
            self.reason = reason
            self.sentence = sentence
            self.at = at
        }
    }

    public var messages: [Entry]
    public var cursor: String?

    public init(messages: [Entry], cursor: String? = nil) {
        self.messages = messages
        self.cursor = cursor
    }
}
