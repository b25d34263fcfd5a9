import BelfryModel
import BelfryServerModel
import BelfryServices

extension MessageCenterContent: Described {
    static let schema: JSONSchema = .object(
        [:],
        optional: [
            "center": .of(MessageCenterName.self).described("An enabled message center; default `Primary`."),
            "subject": .subject, "message": .message, "iconUrl": .icon,
            "deeplinkUrl": .deepLink, "richUrl": .page,
            "richHtml": .html,
            "expiresAt": .zonedDate("2026-12-31T23:00:00Z")
                .described("It is not shown from then on; without an offset, in the app's time zone."),
            "badge": .of(BadgeChange.self),
            "custom": .attributes
                .described("Custom key-value pairs: at most \(MessageCenterLimits.maximumCustomBytes) bytes."),
            "variants": .map(of: .of(MessageCenterVariant.self))
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
        A message in a message center. Texts, addresses, HTML and strings of `custom` may be templates. With a \
        push, absent fields are taken from the push's title, body and action.
        """
    )
}

extension MessageCenterVariant: Described {
    static let schema: JSONSchema = .object(
        [:],
        optional: [
            "subject": .subject, "message": .message, "iconUrl": .icon,
            "deeplinkUrl": .deepLink, "richUrl": .page,
            "richHtml": .html,
        ],
        isClosed: true
    )
    .described("Absent fields are as in the content; a page or HTML replaces both.")
}

extension BadgeChange: Described {
    static let schema: JSONSchema = .object(
        ["op": .cases(of: BadgeChange.Operation.self)],
        optional: [
            "value": .integer(0...SettingsCheck.badgeCounts.upperBound).described(
                "The increment (default 1) or the new number; none with `clear`.")
        ],
        isClosed: true
    )
    .described("The change of the badge on the app's icon; it never exceeds the app's `maxBadgeCount`.")
}

extension JSONSchema {
    fileprivate static let subject: JSONSchema = .string(1...MessageCenterLimits.maximumSubjectLength).described(
        "Not blank.")

    fileprivate static let message: JSONSchema = .string()
        .described("Not blank; at most \(MessageCenterLimits.maximumMessageBytes) bytes.")

    fileprivate static let icon: JSONSchema = .templatedAddress.described("An https URL.")

    fileprivate static let deepLink: JSONSchema = .templatedAddress.described("What opening the message opens.")

    fileprivate static let page: JSONSchema = .templatedAddress
        .described("The https URL of its rich content; not together with `richHtml`.")

    fileprivate static let html: JSONSchema = .string()
        .described(
            """
            Its rich content: at most \(MessageCenterLimits.maximumRichHTMLBytes) bytes, without script, frames and \
            objects. Values may be between tags and in quoted attributes; in an address, after the scheme.
            """
        )
}
