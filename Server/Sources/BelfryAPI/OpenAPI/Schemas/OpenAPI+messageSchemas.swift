import BelfryModel

extension OpenAPI {
    static let messageSchemas: [String: Schema] = [
        "MessageCenterContent": .object(
            [:],
            optional: [
                "center": .reference("MessageCenterName").described("One that is enabled; default `Primary`."),
                "subject": subject, "message": message, "iconUrl": icon, "deeplinkUrl": deepLink, "richUrl": page,
                "richHtml": html,
                "expiresAt": .string(format: "date-time", example: "2026-12-31T23:00:00Z")
                    .described("Nobody sees it from then on; without an offset it is in the app's time zone."),
                "badge": .reference("BadgeChange"),
                "custom": .reference("Attributes")
                    .described("The app's own pairs: at most \(MessageCenterLimits.maximumCustomBytes) bytes."),
                "variants": .map(of: .reference("MessageCenterVariant"))
                    .described("By locale (BCP 47): what recipients of other languages get; at most 100."),
                "defaults": .map(of: .string())
                    .described("By the name of a template's variable: what a recipient without a value gets."),
            ],
            isClosed: true
        )
        .described(
            """
            What is kept in a message centre. Texts, addresses, HTML and strings of `custom` may be templates. Beside a \
            push, its title, its body and what opening it does stand in for what the message does not say.
            """
        ),
        "MessageCenterVariant": .object(
            [:],
            optional: [
                "subject": subject, "message": message, "iconUrl": icon, "deeplinkUrl": deepLink, "richUrl": page,
                "richHtml": html,
            ],
            isClosed: true
        )
        .described("What it leaves out is as in the content itself; a page or HTML takes the place of both."),
        "BadgeChange": .object(
            ["op": .word(BadgeChange.Operation.allCases.map(\.rawValue))],
            optional: [
                "value": .integer(0...9_999).described("By how much (default 1), or to what; none with `clear`.")
            ],
            isClosed: true
        )
        .described("What happens to the number on the icon; it never exceeds the app's `maxBadgeCount`."),
        "MessageCenterCounts": .object([
            "displays": .count.described("How often it was shown in a list."), "displayedBy": .count,
            "opens": .count, "openedBy": .count,
        ])
        .described("Sums over all devices; `displayedBy` and `openedBy` count each device once."),
    ]

    private static let subject: Schema = .string(1...MessageCenterLimits.maximumSubjectLength).described("Not blank.")
    private static let message: Schema = .string()
        .described("Not blank; at most \(MessageCenterLimits.maximumMessageBytes) bytes.")
    private static let icon: Schema = .string(format: "uri").described("An https URL.")
    private static let deepLink: Schema = .string(format: "uri").described("Where opening the message leads.")
    private static let page: Schema = .string(format: "uri")
        .described("The https URL of its rich content; not beside `richHtml`.")
    private static let html: Schema = .string()
        .described(
            """
            Its rich content: at most \(MessageCenterLimits.maximumRichHTMLBytes) bytes, without script, frames and objects. \
            Values stand between tags and in quoted attributes, behind the scheme of an address.
            """
        )
}
