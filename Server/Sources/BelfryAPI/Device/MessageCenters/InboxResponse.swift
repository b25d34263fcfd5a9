import BelfryModel

/// `GET /inbox` (WIRE-13): the messages of all centers as v3 clients read them. Times are seconds since 1970.
package struct InboxResponse: Hashable, Sendable, Codable {
    package struct Message: Hashable, Sendable, Codable {
        package var id: String
        package var campaignId: String
        /// The message's subject.
        package var title: String
        /// The message's text.
        package var body: String
        /// The address of the message's icon.
        package var imageUrl: String?
        package var receivedAt: Int64
        /// The time of the last change. The Android client ignores a message without it.
        package var updatedAt: Int64
        package var expiresAt: Int64?
        /// Contains `read`, if the message was read on any device.
        package var tags: [String]
        /// The message's custom pairs, as texts.
        package var properties: [String: String]?
        /// Absent if opening the message has no action.
        package var ems: Actions?

        package init(
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

    /// The actions when a message is opened.
    package struct Actions: Hashable, Sendable, Codable {
        package var actions: [Action]

        package init(actions: [Action]) {
            self.actions = actions
        }
    }

    package struct Action: Hashable, Sendable, Codable {
        package static let openExternalURL = "OpenExternalUrl"

        package var id: String
        package var title: String
        package var type: String
        package var url: String

        package init(id: String, title: String, type: String = Action.openExternalURL, url: String) {
            self.id = id
            self.title = title
            self.type = type
            self.url = url
        }
    }

    package var count: Int
    package var messages: [Message]

    package init(messages: [Message]) {
        count = messages.count
        self.messages = messages
    }
}
