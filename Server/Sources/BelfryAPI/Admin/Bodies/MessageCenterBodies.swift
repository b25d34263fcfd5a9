import BelfryModel
import BelfryServices

/// `PUT …/message-centers/{name}` (ADM-2). Absent members do not change.
package struct MessageCenterChange: Hashable, Sendable, Codable {
    /// The text that people see in place of the name; a blank one removes the label.
    package var label: String?
    /// Absent: a new center is enabled.
    package var enabled: Bool?

    package init(label: String? = nil, enabled: Bool? = nil) {
        self.label = label
        self.enabled = enabled
    }
}

extension MessageCenterChange: Described {
    static let schema: JSONSchema = .object(
        [:],
        optional: [
            "label": .string(0...MessageCenterLimits.maximumLabelLength)
                .described("What users see instead of the name. A blank label removes it."),
            "enabled": .boolean.described("A new message center is enabled. A disabled one hides its messages."),
        ],
        isClosed: true
    )
}

/// A message center of an app (MC-2).
package struct MessageCenterDefinition: Hashable, Sendable, Codable {
    package var name: String
    package var label: String?
    package var enabled: Bool

    package init(_ center: MessageCenter) {
        name = center.name.rawValue
        label = center.label
        enabled = center.isEnabled
    }
}

extension MessageCenterDefinition: Described {
    static let schema: JSONSchema = .object(
        ["name": .of(MessageCenterName.self), "enabled": .boolean], optional: ["label": .string()]
    )
}

/// `GET …/message-centers`: the primary one first, the others in order of creation.
package struct MessageCenterListResponse: Hashable, Sendable, Codable {
    package var messageCenters: [MessageCenterDefinition]
}

extension MessageCenterListResponse: Described {
    static let schema: JSONSchema = .object([
        "messageCenters": .list(of: .of(MessageCenterDefinition.self))
    ])
}

/// `GET …/campaigns/{id}/messages` and `GET …/contacts/{contactKey}/messages`: the placed messages (MC-16).
package struct PlacedMessagesResponse: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        /// The message's id, as devices know it.
        package var id: String
        package var campaign: String
        /// Absent for a message of an installation.
        package var contactKey: String?
        /// The device id of the installation that holds the message, because nobody was logged in on it.
        package var deviceId: String?
        package var center: String
        package var sentAt: String
        package var expiresAt: String?
        package var state: MessageState
        package var recalledAt: String?
    }

    package var messages: [Entry]
    package var cursor: String?

    package init(messages: [Entry], cursor: String? = nil) {
        self.messages = messages
        self.cursor = cursor
    }

    /// - Parameter next: the number at which the next page begins.
    init(_ messages: [PlacedMessage], next: Int64?) {
        self.init(messages: messages.map(Entry.init), cursor: next.map { String($0) })
    }
}

extension PlacedMessagesResponse.Entry {
    fileprivate init(_ message: PlacedMessage) {
        let row = message.row
        self.init(
            id: message.id.text, campaign: row.campaign.description, contactKey: row.contactKey, deviceId: row.client,
            center: row.center.rawValue, sentAt: Timestamp.text(row.sentAt),
            expiresAt: row.expiresAt.map(Timestamp.text), state: row.state,
            recalledAt: row.recalledAt.map(Timestamp.text)
        )
    }
}

extension PlacedMessagesResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "messages": .list(
                of: .object(
                    [
                        "id": .of(MessageID.self), "campaign": .of(CampaignID.self),
                        "center": .of(MessageCenterName.self), "sentAt": .of(Timestamp.self),
                        "state": .of(MessageState.self),
                    ],
                    optional: [
                        "contactKey": .string().described("Absent for a message of an installation."),
                        "deviceId": .of(DeviceID.self).described(
                            "The installation that the message belongs to, because nobody was logged in on it."
                        ),
                        "expiresAt": .of(Timestamp.self),
                        "recalledAt": .of(Timestamp.self).described("When it was recalled; then it is `deleted`."),
                    ]
                )
            )
        ],
        optional: ["cursor": .cursor]
    )
}
