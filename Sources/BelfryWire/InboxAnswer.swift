import BelfryModel

/// `GET /inbox` (WIRE-13): the messages of all centres as the clients of version 3 read them. Times are seconds since
/// 1970.
public struct InboxAnswer: Hashable, Sendable, Codable {
    public struct Message: Hashable, Sendable, Codable {
        public var id: String
        public var campaignId: String
        /// The subject.
        public var title: String
        /// The message's text.
        public var body: String
        /// The icon.
        public var imageUrl: String?
        public var receivedAt: Int64
        /// The client on Android leaves a message without it out.
        public var updatedAt: Int64
        public var expiresAt: Int64?
        /// `read`, when it was read on any device.
        public var tags: [String]
        /// The custom pairs as texts.
        public var properties: [String: String]?
        /// Absent, when opening the message leads nowhere.
        public var ems: Actions?

        public init(
            id: String, campaignId: String, title: String, body: String, imageUrl: String? = nil, receivedAt: Int64,
            updatedAt: Int64, expiresAt: Int64? = nil, tags: [String] = [], properties: [String: String]? = nil,
            ems: Actions? = nil
        ) {
            self.id = id
            self.campaignId = campaignId
            self.title = title
            self.body = body
            self.imageUrl = imageUrl
            self.receivedAt = receivedAt
            self.updatedAt = updatedAt
            self.expiresAt = expiresAt
            self.tags = tags
            self.properties = properties
            self.ems = ems
        }
    }

    /// Where opening a message leads.
    public struct Actions: Hashable, Sendable, Codable {
        public var actions: [Action]

        public init(actions: [Action]) {
            self.actions = actions
        }
    }

    public struct Action: Hashable, Sendable, Codable {
        public static let openExternalURL = "OpenExternalUrl"

        public var id: String
        public var title: String
        public var type: String
        public var url: String

        public init(id: String, title: String, type: String = Action.openExternalURL, url: String) {
            self.id = id
            self.title = title
            self.type = type
            self.url = url
        }
    }

    public var count: Int
    public var messages: [Message]

    public init(messages: [Message]) {
        count = messages.count
        self.messages = messages
    }
}
