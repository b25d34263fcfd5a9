import BelfryModel
import BelfryServerModel

/// The sections of the form for a push.
struct PushSections {
    let fill: FormFill
    let basis: ComposeBasis

    var all: [FormSection] { [texts, buttons, languages, kept, handling] }

    private var texts: FormSection {
        FormSection(
            "c-what", "What it says",
            [
                FormBlock([
                    fill.campaignName,
                    fill.line("title", "Title", isRequired: true, inserts: true),
                    fill.line("subtitle", "Subtitle", hint: "On Apple's systems, below the title.", inserts: true),
                    fill.area("body", "Text", isRequired: true, inserts: true),
                ]),
                FormBlock(
                    .two,
                    [
                        fill.line(
                            "image", "Image", hint: "Its https address.", isTechnical: true, inserts: true
                        ),
                        fill.line(
                            "link", "A tap opens",
                            hint:
                                "A link such as https://example.com/sale or myapp://sale. Without one, the app opens.",
                            isTechnical: true, inserts: true
                        ),
                        fill.select(
                            "opens", "What a tap opens",
                            [
                                ("", "The app, or the link"),
                                ("rich", "The rich message: the link as a page, or the kept one"),
                            ]
                        ),
                    ] + fill.badge
                ),
                fill.defaults(),
            ]
        )
    }

    private var buttons: FormSection {
        let blocks = fill.places(PushParts.buttonRows, spare: 1).map { place in
            FormBlock(
                .three,
                [
                    fill.hidden("buttonWas", row: place),
                    fill.line("buttonText", "Text", row: place, inserts: true),
                    fill.line("buttonLink", "Opens", hint: "A link; empty: the app.", row: place, isTechnical: true),
                    fill.line(
                        "buttonId", "Name in the figures", hint: "May be empty.", row: place, isTechnical: true),
                ],
                legend: "Button \(place + 1)"
            )
        }
        return FormSection("c-buttons", "Buttons", hint: "At most four, below the notification.", blocks)
    }

    private var languages: FormSection {
        let blocks = fill.places(PushParts.variantRows, spare: 1).map { place in
            FormBlock(
                .two,
                [
                    fill.hidden("variantWas", row: place),
                    fill.line(
                        "variantLocale", "Language", hint: "Such as de, fr-CA or zh-Hant.", row: place,
                        isTechnical: true),
                    fill.line("variantTitle", "Title", row: place, inserts: true),
                    fill.line("variantSubtitle", "Subtitle", row: place),
                    fill.area("variantBody", "Text", row: place, inserts: true),
                    fill.line("variantImage", "Image", row: place, isTechnical: true),
                ],
                fold: fill.languageTitle("variantLocale", place)
            )
        }
        return FormSection(
            "c-languages", "Other languages",
            hint: "Empty fields are taken from the message itself. Without a language here, everybody gets it.",
            blocks
        )
    }

    private var kept: FormSection {
        var blocks = [
            FormBlock([
                fill.hidden("keepAsked", value: "yes"),
                fill.check("keep", "Keep it in a message center, too", hint: "People find it in the app later on."),
            ])
        ]
        blocks += CenterSections(fill: fill, basis: basis).blocks(isBesidePush: true)
        return FormSection("c-kept", "Message center", blocks)
    }

    private var handling: FormSection {
        FormSection(
            "c-handling", "How phones handle it",
            [
                FormBlock(
                    .three,
                    [
                        fill.line("sound", "Sound", hint: "default, or a file of the app.", isTechnical: true),
                        fill.select(
                            "interruption", "How much it may disturb", Self.levels, hint: "On Apple's systems."),
                        fill.line(
                            "ttl", "Seconds that push services keep trying", hint: "Empty: four weeks. 3600 is an hour."
                        ),
                        fill.line(
                            "collapseId", "Collapse id", hint: "A later push with the same one replaces this one.",
                            isTechnical: true
                        ),
                        fill.line(
                            "threadId", "Group", hint: "Pushes of one group are shown together.", isTechnical: true),
                    ], fold: "Sound, lifetime, groups", isOpen: isHandled
                ),
                Self.custom(fill),
            ]
        )
    }

    private var isHandled: Bool {
        ["sound", "interruption", "ttl", "collapseId", "threadId"].contains { !fill.fields[$0].isEmpty }
    }

    private static let levels: [(String, String)] = [
        ("", "As usual"), ("passive", "Not at all: it is only listed"), ("active", "As usual (active)"),
        ("timeSensitive", "Also in a focus (time sensitive)"),
        ("critical", "Always (critical, with Apple's permission)"),
    ]

    static func custom(_ fill: FormFill) -> FormBlock {
        FormBlock(
            [
                fill.area(
                    "custom", "The app's own keys",
                    hint: "An object in JSON, such as {\"screen\":\"sale\"}. Ask the app's developers.", isCode: true
                )
            ], fold: "For the app", isOpen: !fill.fields["custom"].isEmpty
        )
    }

    /// The sections of the form for a silent push, which shows no text.
    var silent: [FormSection] {
        [
            FormSection(
                "c-what", "What it is for", hint: "A silent push wakes the app and shows nothing.",
                [
                    FormBlock([
                        fill.campaignName,
                        fill.area(
                            "custom", "The app's own keys",
                            hint: "An object in JSON, such as {\"refresh\":\"prices\"}. Ask the app's developers.",
                            isCode: true
                        ),
                        fill.hidden("browsersAsked", value: "yes"),
                        fill.check(
                            "browsers", "To browsers, too",
                            hint: "Browsers end a subscription whose pushes show nothing."
                        ),
                    ]),
                    FormBlock(
                        .two,
                        [
                            fill.line(
                                "ttl", "Seconds that push services keep trying",
                                hint: "Empty: four weeks. 3600 is an hour."
                            ),
                            fill.line(
                                "collapseId", "Collapse id", hint: "A later push with the same one replaces this one.",
                                isTechnical: true
                            ),
                        ]
                    ),
                    fill.defaults(),
                ]
            )
        ]
    }
}
