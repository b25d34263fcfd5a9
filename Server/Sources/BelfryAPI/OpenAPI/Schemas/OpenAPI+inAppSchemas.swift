import BelfryModel

extension OpenAPI {
    /// What an in-app message is made of.
    static let inAppSchemas: [String: Schema] = [
        "InAppDraft": .object(draftParts.required, optional: draftParts.optional, isClosed: true)
            .described("An in-app message: what it says, when it may show, and how often."),
        "InAppDraftRequest": .object(
            draftParts.required,
            optional: draftParts.optional.merging([
                "startsAt": date.described("Nobody sees it before; without an offset it is in the app's time zone."),
                "endsAt": date.described(
                    "Nobody sees it from then on; without an offset it is in the app's time zone."),
                "resetDisplays": .boolean
                    .described("With an edit after the launch: whether displays count anew; default: false."),
            ]) { $1 },
            isClosed: true
        )
        .described(
            """
            The in-app message of a campaign. Its texts, addresses and HTML may be templates. Every type but `inline` \
            needs a `trigger`, and `inline` a `viewId`.
            """
        ),
        "InAppType": .word(InAppType.allCases.map(\.rawValue))
            .described("`action` shows nothing: its `actions` run. `inline` stands where the app asks for its view."),
        "InAppTrigger": .object(
            [
                "event": .string(1...EventName.maximumLength).described(
                    "Of any event, as `session:start` or `purchase`.")
            ],
            optional: [
                "where": .reference("Predicate").described(
                    """
                    Over the event's attributes, and over the device's properties and `pushOptIn`: `everyone`, `all`, \
                    `any`, `not`, `attribute`, `device`.
                    """),
                "occurrence": .integer(1...Int64(InAppLimits.maximumOccurrence)).described(
                    "The n-th such event since the message came to the device, or was last shown; default: 1."),
            ],
            isClosed: true
        )
        .described("What lets a message show; the device judges it by itself."),
        "InAppContent": content,
        "InAppVariant": .object(
            [:],
            optional: [
                "title": title, "body": body, "imageUrl": image, "imageAlt": imageAlt, "html": html,
                "buttons": .map(of: buttonText).described("Texts by the buttons' ids."),
            ],
            isClosed: true
        )
        .described("What it leaves out is as in the content itself."),
        "InAppButton": .object(
            [
                "id": .string(1...InAppLimits.maximumButtonIDLength).described("Not blank; each once."),
                "text": buttonText, "action": .reference("InAppAction"),
            ],
            isClosed: true
        ),
        "InAppAction": .object(
            ["type": .word(InAppAction.Kind.allCases.map(\.rawValue))],
            optional: [
                "url": templatedAddress.described("Of `openUrl`, which needs it: with a scheme."),
                "name": .string().described("Of `event`, which needs it: the event that is tracked."),
                "attributes": .reference("Attributes").described("Of that event."),
            ],
            isClosed: true
        )
        .described("What a tap does. Each closes the message."),
        "InAppColors": .object(
            [:], optional: colors.merging(["dark": .reference("InAppDarkColors")]) { first, _ in first },
            isClosed: true
        )
        .described("Each text stands out from what is behind it by at least 4.5 to 1. Absent ones have a standard."),
        "InAppDarkColors": .object([:], optional: colors, isClosed: true).described("While the device is dark."),
    ]

    private static let draftParts: (required: [String: Schema], optional: [String: Schema]) = (
        ["type": .reference("InAppType"), "content": .reference("InAppContent")],
        [
            "priority": .integer(0...Int64(InAppLimits.maximumPriority))
                .described("The lowest goes first; default: \(InAppLimits.standardPriority)."),
            "trigger": .reference("InAppTrigger"),
            "viewId": .string(1...InAppLimits.maximumViewIDLength)
                .described("Of the type `inline`: the place in the app that it is for, compared without case."),
            "startsAt": .reference("Timestamp"), "endsAt": .reference("Timestamp"),
            "displayLimit": .integer(1...Int64(InAppLimits.maximumDisplayLimit)).described(
                """
                How often a person sees it on one device; default: \(InAppLimits.standardDisplayLimit), of the type \
                `inline` \(InAppLimits.maximumDisplayLimit).
                """),
            "delaySeconds": .integer(0...Int64(InAppLimits.maximumDelaySeconds))
                .described("From the trigger to the display; default: 0."),
            "variants": .map(of: .reference("InAppVariant"))
                .described("By locale (BCP 47): what recipients of other languages get; at most 100."),
            "defaults": .map(of: .string())
                .described("By the name of a template's variable: what a recipient without a value gets."),
        ]
    )

    private static let content: Schema = .object(
        [:],
        optional: [
            "title": title, "body": body, "imageUrl": image, "imageAlt": imageAlt,
            "buttons": .list(of: .reference("InAppButton"), 0...InAppLimits.maximumButtons),
            "action": .reference("InAppAction").described("What a tap on the image or the banner does."),
            "layout": .word(InAppLayout.allCases.map(\.rawValue)), "colors": .reference("InAppColors"),
            "actions": .list(of: .reference("InAppAction"), 0...InAppLimits.maximumActions)
                .described("Of the type `action`, which has nothing else: what happens, in this order."),
            "html": html,
        ],
        isClosed: true
    )
    .described("What a message shows: a title, a body or an image at least. The type `fullImage` needs its image.")

    private static let colors: [String: Schema] = [
        "background": color, "text": color, "button": color, "buttonText": color,
    ]
    private static let color: Schema = .string(pattern: "^#[0-9A-Fa-f]{6}$", example: "#0A5BD3")
    private static let date: Schema = .string(format: "date-time", example: "2026-12-31T23:00:00Z")
    private static let title: Schema = .string(1...InAppLimits.maximumTitleLength).described("Not blank.")
    private static let body: Schema = .string(1...InAppLimits.maximumBodyLength).described("Not blank.")
    private static let image: Schema = templatedAddress.described("An https URL.")
    private static let imageAlt: Schema = .string(1...InAppLimits.maximumImageAltLength)
        .described("What the image is to whoever does not see it.")
    private static let buttonText: Schema = .string(1...InAppLimits.maximumButtonTextLength).described("Not blank.")
    private static let html: Schema = .string().described(
        """
        Of the type `html`, which has nothing else: at most \(InAppLimits.maximumHTMLBytes) bytes, without frames, and \
        without script unless the app's setting `inAppScripts` allows it. A tap on what has `data-belfry-button` \
        counts as that button's, on what has `data-belfry-close` it closes the message.
        """
    )
}
