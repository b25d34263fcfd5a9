import BelfryModel

extension OpenAPI {
    static let pushSchemas: [String: Schema] = [
        "PushContent": .object(
            [:],
            optional: [
                "title": .string().described("Not blank; the kind `silent` has none, all others need it."),
                "body": .string().described("As the title."),
                "subtitle": .string(),
                "imageUrl": templatedAddress.described("An https URL."),
                "sound": word,
                "action": .reference("NotificationAction").described("What opening it does; default: the app starts."),
                "buttons": .list(of: .reference("NotificationButton"), 0...4),
                "collapseId": .string(1...64)
                    .described("At most 64 bytes: a later message with it replaces an earlier one."),
                "ttlSeconds": .integer(0...2_419_200)
                    .described("How long the push service keeps trying; default: four weeks."),
                "priority": .number([1, 5, 10])
                    .described("10 at once (default), 5 to spare the device's power, 1 above all to spare it."),
                "custom": .reference("Attributes").described("The app's own keys beside `aps` and `belfry`."),
                "category": word.described("The app's name for a set of buttons that it defines itself."),
                "threadId": word.described("Notifications with the same one are shown as a group."),
                "interruptionLevel": .word(InterruptionLevel.allCases.map(\.rawValue)),
                "androidChannel": word,
                "badge": .reference("BadgeChange"),
                "variants": .map(of: .reference("PushVariant"))
                    .described("By locale (BCP 47): what devices of other languages get; at most 100."),
                "defaults": .map(of: .string())
                    .described("By the name of a template's variable: what a recipient without a value gets."),
            ],
            isClosed: true
        )
        .described(
            """
            What a notification says and does; as sent it has at most 4,096 bytes. Titles, texts, addresses and \
            strings of `custom` may be templates: `{{city}}`, `{{contact.key}}`, `{{device.locale}}`.
            """
        ),
        "PushVariant": .object(
            [:],
            optional: [
                "title": .string(), "subtitle": .string(), "body": .string(), "imageUrl": templatedAddress,
                "action": .reference("NotificationAction"),
                "buttons": .list(of: .reference("NotificationButton"), 0...4),
            ],
            isClosed: true
        )
        .described("What it leaves out is as in the content itself."),
        "NotificationAction": .object(
            ["type": .word(NotificationAction.Kind.allCases.map(\.rawValue))],
            optional: [
                "url": templatedAddress.described(
                    """
                    Asked for by `openUrl`, with a scheme, and by `openRichMessage`, with https; without it the latter \
                    opens the rich content of the message that is kept in a centre, if there is any.
                    """)
            ],
            isClosed: true
        )
        .described("What opening a notification or tapping a button does."),
        "NotificationButton": .object(
            ["id": .string().described("Not blank."), "text": .string().described("Not blank.")],
            optional: ["action": .reference("NotificationAction")], isClosed: true
        ),
    ]

    private static let word: Schema = .string(1...200)
}
