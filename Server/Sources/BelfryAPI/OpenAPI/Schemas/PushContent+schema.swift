import BelfryModel
import BelfryServerModel
import BelfryServices

extension PushContent: Described {
    static let schema: JSONSchema = .object(
        [:],
        optional: [
            "title": .string().described("Not blank. Required, except by the kind `silent`, which has none."),
            "body": .string().described("Like the title."),
            "subtitle": .string(),
            "imageUrl": .templatedAddress.described("An https URL."),
            "sound": .shortWord,
            "action": .of(NotificationAction.self).described("The action of a tap; default: the app starts."),
            "buttons": .list(of: .of(NotificationButton.self), 0...PushContentCheck.maximumButtons),
            "collapseId": .string(1...PushContentCheck.maximumCollapseIDBytes)
                .described(
                    """
                    At most \(PushContentCheck.maximumCollapseIDBytes) bytes: a later message with it replaces an \
                    earlier one.
                    """
                ),
            "ttlSeconds": .integer(0...PushContentCheck.maximumTTL)
                .described("How long the push service tries to deliver it; default: four weeks."),
            "priority": .number(PushContentCheck.priorities)
                .described("10: at once (default); 5: considering the device's power; 1: saving power first."),
            "custom": .attributes.described("Custom keys, next to `aps` and `belfry`."),
            "category": .shortWord.described("The name of a set of buttons that the app defines."),
            "threadId": .shortWord.described("Notifications with the same id are shown as a group."),
            "interruptionLevel": .cases(of: InterruptionLevel.self),
            "relevanceScore": .number(PushContentCheck.relevanceScores)
                .described("Of an app's notifications, Apple's systems put the highest first."),
            "targetContentId": .shortWord.described(
                "The identifier of the window that a tap brings to the front (APNs)."),
            "filterCriteria": .shortWord.described("The text by which Focus filters of Apple's systems decide (APNs)."),
            "androidChannel": .shortWord,
            "androidVisibility": .cases(of: LockScreenVisibility.self).described(
                "What a locked screen shows (FCM): all of it, that there is a notification, or nothing."),
            "analyticsLabel": .string(
                1...PushContentCheck.maximumAnalyticsLabelLength, pattern: "^[A-Za-z0-9_.~%-]+$", example: "winter-sale"
            )
            .described("The label of the messages in Google's reports (FCM)."),
            "browsers": .boolean.described(
                """
                Only of the kind `silent`: whether it goes to browsers, too; default: no. They end subscriptions whose \
                pushes show nothing.
                """
            ),
            "badge": .of(BadgeChange.self),
            "variants": .map(of: .of(PushVariant.self))
                .described(
                    "By locale (BCP 47): the content in other languages; at most \(VariantsCheck.maximumCount)."
                ),
            "defaults": .map(of: .string())
                .described("By template variable: the text for recipients without a value."),
        ],
        isClosed: true
    )
    .described(
        """
        The content of a notification; at most 4,096 bytes as sent. Titles, texts, addresses and \
        strings of `custom` may be templates: `{{city}}`, `{{contact.key}}`, `{{device.locale}}`.
        """
    )
}

extension PushVariant: Described {
    static let schema: JSONSchema = .object(
        [:],
        optional: [
            "title": .string(), "subtitle": .string(), "body": .string(), "imageUrl": .templatedAddress,
            "action": .of(NotificationAction.self),
            "buttons": .list(of: .of(NotificationButton.self), 0...PushContentCheck.maximumButtons),
        ],
        isClosed: true
    )
    .described("Absent fields are as in the content.")
}

extension NotificationAction: Described {
    static let schema: JSONSchema = .object(
        ["type": .cases(of: NotificationAction.Kind.self)],
        optional: [
            "url": .templatedAddress.described(
                """
                Required by `openUrl`, with a scheme, and by `openRichMessage`, with https. Without it, the latter \
                opens the rich content of the message center message, if there is any.
                """)
        ],
        isClosed: true
    )
    .described("What opening a notification or tapping a button does.")
}

extension NotificationButton: Described {
    static let schema: JSONSchema = .object(
        ["id": .string().described("Not blank."), "text": .string().described("Not blank.")],
        optional: ["action": .of(NotificationAction.self)], isClosed: true
    )
}

extension JSONSchema {
    fileprivate static let shortWord: JSONSchema = .string(1...PushContentCheck.maximumWordBytes)
}
