import BelfryModel
import BelfryWire

extension MessageID: Described {
    static let schema: JSONSchema = .string(
        36...36, format: "uuid", pattern: "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
        example: "00000000-0001-8c3a-9b7e-0c5a2e0f2a11"
    )
    .described("The same on all devices of the contact.")
}

extension MessageCenterName: Described {
    static let schema: JSONSchema = .string(
        1...MessageCenterName.maximumLength, pattern: "^[A-Za-z0-9_-]+$", example: "news"
    )
}

extension MessageState: Described {
    static let schema: JSONSchema = .cases(of: MessageState.self)
}

extension MessageCenterMessageBody: Described {
    static let schemaName = "CenterMessage"

    static let schema: JSONSchema = .object(
        [
            "id": .of(MessageID.self),
            "sent_ts": .of(Timestamp.self),
            "subject": .string(),
            "message": .string(),
            "message_center_name": .of(MessageCenterName.self),
            "has_rich_content": .boolean.described("Whether there is HTML to fetch."),
            "state": .of(MessageState.self),
        ],
        optional: [
            "deeplink_url": .encodedURL,
            "richmessage_url": .encodedURL,
            "icon_url": .encodedURL,
            "expiry_ts": .of(Timestamp.self),
            "custom": .attributes,
        ]
    )
}

extension MessageCenterSummary: Described {
    static let schema: JSONSchema = .object(
        [
            "name": .of(MessageCenterName.self), "messages": .messages(MessageCenterLimits.messagesPerCenter),
        ],
        optional: [
            "label": .string(1...MessageCenterLimits.maximumLabelLength)
                .described("What users see instead of the name; absent: the name.")
        ]
    )
}

extension MessageCentersResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "messageCenters": .list(
                of: .of(MessageCenterSummary.self), 0...MessageCenterLimits.maximumCustom + 1
            )
        ],
        optional: [
            "disabled": .list(of: .of(MessageCenterName.self), 0...MessageCenterLimits.maximumCustom + 1)
                .described("The disabled message centers."),
            "badge": .of(Badge.self), "registration": .of(RegistrationResult.self),
        ]
    )
}

extension MessageCenterMessagesResponse: Described {
    static let schema: JSONSchema = .object(["messages": .messages(MessageCenterLimits.messagesPerCenter)])
}

extension RichContentResponse: Described {
    static let schema: JSONSchema = .object([
        "id": .of(MessageID.self), "html": .string().described("A complete page. Do not run it with the app's rights."),
    ])
}

extension MessageStateRequest: Described {
    static let schema: JSONSchema = .object(
        ["state": .word(MessageStateRequest.states.map(\.rawValue))],
        optional: [
            "contact": .string().described(
                "The `contactReference` of the contact that caused it; absent: the device's contact."
            )
        ]
    )
}

extension Badge: Described {
    static let schema: JSONSchema = .object([
        "count": .count, "revision": .count.described("Increases by one with each change."),
    ])
}

extension BadgeRequest: Described {
    static let schema: JSONSchema = .object(
        ["count": .count],
        optional: ["revision": .count.described("The revision that the device knew when it set the badge.")]
    )
}

extension InboxResponse: Described {
    static let schema: JSONSchema = .object([
        "count": .count, "messages": .list(of: .of(InboxResponse.Message.self), 0...MessageCenterLimits.inboxMessages),
    ])
}

extension InboxResponse.Message: Described {
    static let schemaName = "InboxMessage"

    static let schema: JSONSchema = .object(
        [
            "id": .of(MessageID.self), "campaignId": .of(CampaignID.self),
            "title": .string().described("The subject."), "body": .string().described("The message's text."),
            "receivedAt": .seconds, "updatedAt": .seconds,
            "tags": .list(of: .string()).described("`read`, if it was read on any device."),
        ],
        optional: [
            "imageUrl": .string().described("The icon."), "expiresAt": .seconds,
            "properties": .map(of: .string()).described("The custom key-value pairs."),
            "ems": .object(["actions": .list(of: .action)]).described("What opening it opens."),
        ]
    )
}

extension JSONSchema {
    fileprivate static func messages(_ most: Int) -> JSONSchema {
        .list(of: .of(MessageCenterMessageBody.self), 0...most).described("Newest first, without expired ones.")
    }

    fileprivate static let encodedURL: JSONSchema = .string().described(
        "Completely percent-encoded, as by `encodeURIComponent`.")

    fileprivate static let seconds: JSONSchema = .integer().described("Seconds since 1970.")

    fileprivate static let action: JSONSchema = .object([
        "id": .string(), "title": .string(), "type": .word([InboxResponse.Action.openExternalURL]), "url": .string(),
    ])
}
