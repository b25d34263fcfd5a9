import BelfryModel
import BelfryWire

extension OpenAPI {
    static let inboxSchemas: [String: Schema] = [
        "MessageID": .string(
            36...36, format: "uuid", pattern: "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
            example: "00000000-0001-8c3a-9b7e-0c5a2e0f2a11"
        )
        .described("The same on all devices of the contact."),
        "MessageCenterName": .string(
            1...MessageCenterName.maximumLength, pattern: "^[A-Za-z0-9_-]+$", example: "news"
        ),
        "MessageState": .word(MessageState.allCases.map(\.rawValue)),
        "CenterMessage": centerMessage,
        "MessageCenterAnswer": .object(
            [
                "name": .reference("MessageCenterName"), "messages": messages(MessageCenterLimits.messagesPerCenter),
            ],
            optional: [
                "label": .string(1...MessageCenterLimits.maximumLabelLength)
                    .described("What people see in the place of the name; absent: the name.")
            ]
        ),
        "MessageCentersAnswer": .object(
            [
                "messageCenters": .list(
                    of: .reference("MessageCenterAnswer"), 0...MessageCenterLimits.maximumCustom + 1
                )
            ],
            optional: ["badge": .reference("Badge")]
        ),
        "CenterMessagesAnswer": .object(["messages": messages(MessageCenterLimits.messagesPerCenter)]),
        "RichContentAnswer": .object([
            "id": .reference("MessageID"), "html": .string().described("A whole page; never run it in the app's name."),
        ]),
        "MessageStateRequest": .object(
            ["state": .word(MessageStateRequest.states.map(\.rawValue))],
            optional: [
                "contact": .string().described(
                    "The `contactReference` under which it happened; absent, the device's contact counts."
                )
            ]
        ),
        "Badge": .object(["count": .count, "revision": .count.described("Grows by one with each change.")]),
        "BadgeRequest": .object(
            ["count": .count],
            optional: ["revision": .count.described("Of the badge that the device knew when it was set.")]
        ),
        "InboxAnswer": .object([
            "count": .count, "messages": .list(of: .reference("InboxMessage"), 0...MessageCenterLimits.inboxMessages),
        ]),
        "InboxMessage": inboxMessage,
        "MessageCenterChange": .object(
            [:],
            optional: [
                "label": .string(0...MessageCenterLimits.maximumLabelLength)
                    .described("What people see in the place of the name; a blank one takes it away."),
                "enabled": .boolean.described("A new centre is enabled. One that is not keeps its messages hidden."),
            ],
            isClosed: true
        ),
        "MessageCenterDefinition": .object(
            ["name": .reference("MessageCenterName"), "enabled": .boolean], optional: ["label": .string()]
        ),
        "MessageCenterListAnswer": .object([
            "messageCenters": .list(of: .reference("MessageCenterDefinition"))
        ]),
    ]

    private static func messages(_ most: Int) -> Schema {
        .list(of: .reference("CenterMessage"), 0...most).described("The newest first; none that has expired.")
    }

    private static let encodedURL: Schema = .string().described("Percent-encoded whole, as by `encodeURIComponent`.")

    private static let centerMessage: Schema = .object(
        [
            "id": .reference("MessageID"),
            "sent_ts": .reference("Timestamp"),
            "subject": .string(),
            "message": .string(),
            "message_center_name": .reference("MessageCenterName"),
            "has_rich_content": .boolean.described("Whether there is HTML to fetch."),
            "state": .reference("MessageState"),
        ],
        optional: [
            "deeplink_url": encodedURL,
            "richmessage_url": encodedURL,
            "icon_url": encodedURL,
            "expiry_ts": .reference("Timestamp"),
            "custom": .reference("Attributes"),
        ]
    )

    private static let seconds: Schema = .integer().described("Seconds since 1970.")

    private static let inboxMessage: Schema = .object(
        [
            "id": .reference("MessageID"), "campaignId": .reference("CampaignID"),
            "title": .string().described("The subject."), "body": .string().described("The message's text."),
            "receivedAt": seconds, "updatedAt": seconds,
            "tags": .list(of: .string()).described("`read`, when it was read on any device."),
        ],
        optional: [
            "imageUrl": .string().described("The icon."), "expiresAt": seconds,
            "properties": .map(of: .string()).described("The custom pairs."),
            "ems": .object(["actions": .list(of: action)]).described("Where opening it leads."),
        ]
    )

    private static let action: Schema = .object([
        "id": .string(), "title": .string(), "type": .word([InboxAnswer.Action.openExternalURL]), "url": .string(),
    ])
}
