import BelfryModel
import BelfryServerModel
import BelfryServices

extension InAppDraft: Described {
    static let schema: JSONSchema = .object(requiredFields, optional: optionalFields, isClosed: true)
        .described("An in-app message: its content, when it may be shown, and how often.")

    static let requiredFields: [String: JSONSchema] = [
        "type": .of(InAppType.self), "content": .of(InAppContent.self),
    ]

    static let optionalFields: [String: JSONSchema] = [
        "priority": .integer(0...InAppLimits.maximumPriority)
            .described("The lowest is shown first; default: \(InAppLimits.standardPriority)."),
        "trigger": .of(InAppTrigger.self),
        "viewId": .string(1...InAppLimits.maximumViewIDLength)
            .described("For the type `inline`: the view in the app, compared without case."),
        "startsAt": .of(Timestamp.self), "endsAt": .of(Timestamp.self),
        "displayLimit": .integer(1...InAppLimits.maximumDisplayLimit).described(
            """
            How often a person sees it on one device; default: \(InAppLimits.standardDisplayLimit), for the type \
            `inline` \(InAppLimits.maximumDisplayLimit).
            """),
        "delaySeconds": .integer(0...InAppLimits.maximumDelaySeconds)
            .described("From the trigger to the display; default: 0."),
        "variants": .map(of: .of(InAppVariant.self))
            .described(
                "By locale (BCP 47): the content in other languages; at most \(VariantsCheck.maximumCount)."),
        "defaults": .map(of: .string())
            .described("By template variable: the text for recipients without a value."),
    ]

    /// The times of a draft in an operator's request.
    static let requestedTimes: [String: JSONSchema] = [
        "startsAt": .zonedDate("2026-12-31T23:00:00Z").described(
            "It is not shown before; without an offset, in the app's time zone."),
        "endsAt": .zonedDate("2026-12-31T23:00:00Z").described(
            "It is not shown from then on; without an offset, in the app's time zone."),
    ]
}

extension InAppType: Described {
    static let schema: JSONSchema = .cases(of: InAppType.self)
        .described("`action` shows nothing and runs its `actions`. `inline` is shown in a view of the app.")
}

extension InAppTrigger: Described {
    static let schema: JSONSchema = .object(
        [
            "event": .string(1...EventName.maximumLength).described(
                "The name of any event, such as `session:start` or `purchase`.")
        ],
        optional: [
            "where": .of(Condition.self).described(
                """
                Over the event's attributes, and over the device's properties and `pushOptIn`: `everyone`, `all`, \
                `any`, `not`, `attribute`, `device`.
                """),
            "occurrence": .integer(1...InAppLimits.maximumOccurrence).described(
                "The n-th such event since the message was downloaded or last shown; default: 1."),
        ],
        isClosed: true
    )
    .described("What shows a message; the device evaluates it by itself.")
}

extension InAppContent: Described {
    static let schema: JSONSchema = .object(
        [:],
        optional: [
            "title": .title, "body": .body, "imageUrl": .image,
            "imageAlt": .imageAlt,
            "buttons": .list(of: .of(InAppButton.self), 0...InAppLimits.maximumButtons),
            "action": .of(InAppAction.self).described("The action of a tap on the image or the banner."),
            "layout": .cases(of: InAppLayout.self), "colors": .of(InAppColors.self),
            "actions": .list(of: .of(InAppAction.self), 0...InAppLimits.maximumActions)
                .described("Only for the type `action`: the actions, in this order."),
            "html": .html,
        ],
        isClosed: true
    )
    .described("What a message shows: at least a title, a body or an image. The type `fullImage` needs an image.")
}

extension InAppVariant: Described {
    static let schema: JSONSchema = .object(
        [:],
        optional: [
            "title": .title, "body": .body, "imageUrl": .image,
            "imageAlt": .imageAlt, "html": .html,
            "buttons": .map(of: .buttonText).described("Texts by button id."),
        ],
        isClosed: true
    )
    .described("Absent fields are as in the content.")
}

extension InAppButton: Described {
    static let schema: JSONSchema = .object(
        [
            "id": .string(1...InAppLimits.maximumButtonIDLength).described("Not blank; unique."),
            "text": .buttonText, "action": .of(InAppAction.self),
        ],
        isClosed: true
    )
}

extension InAppAction: Described {
    static let schema: JSONSchema = .object(
        ["type": .cases(of: InAppAction.Kind.self)],
        optional: [
            "url": .templatedAddress.described("Required by `openUrl`: a URL with a scheme."),
            "name": .string().described("Required by `event`: the event to track."),
            "attributes": .attributes.described("The attributes of that event."),
        ],
        isClosed: true
    )
    .described("What a tap does. Each action closes the message.")
}

extension InAppColors: Described {
    static let schema: JSONSchema = .object(
        [:], optional: JSONSchema.colors.merging(["dark": .of(InAppDarkColors.self)]) { first, _ in first },
        isClosed: true
    )
    .described("Each text has a contrast of at least 4.5 to 1 with its background. Absent colors have a default.")
}

extension InAppDarkColors: Described {
    static let schema: JSONSchema = .object([:], optional: JSONSchema.colors, isClosed: true).described(
        "For dark mode.")
}

extension JSONSchema {
    fileprivate static let colors: [String: JSONSchema] = [
        "background": .color, "text": .color, "button": .color,
        "buttonText": .color,
    ]

    fileprivate static let color: JSONSchema = .string(pattern: "^#[0-9A-Fa-f]{6}$", example: "#0A5BD3")

    fileprivate static let title: JSONSchema = .string(1...InAppLimits.maximumTitleLength).described("Not blank.")

    fileprivate static let body: JSONSchema = .string(1...InAppLimits.maximumBodyLength).described("Not blank.")

    fileprivate static let image: JSONSchema = .templatedAddress.described("An https URL.")

    fileprivate static let imageAlt: JSONSchema = .string(1...InAppLimits.maximumImageAltLength)
        .described("A description of the image for people who do not see it.")

    fileprivate static let buttonText: JSONSchema = .string(1...InAppLimits.maximumButtonTextLength).described(
        "Not blank.")

    fileprivate static let html: JSONSchema = .string().described(
        """
        Only for the type `html`: at most \(InAppLimits.maximumHTMLBytes) bytes, without frames, and without script \
        unless the app's setting `inAppScripts` allows it. A tap on an element with `data-belfry-button` counts as a \
        click on that button; a tap on an element with `data-belfry-close` closes the message.
        """
    )
}
