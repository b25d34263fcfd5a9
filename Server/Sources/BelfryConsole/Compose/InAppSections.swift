import BelfryModel
import BelfryServerModel

/// The sections of the form for an in-app message.
struct InAppSections {
    let fill: FormFill
    let basis: ComposeBasis
    /// Whether devices have the message already: then it has begun, and the form offers no start.
    var isLaunched = false

    var all: [FormSection] {
        [texts, buttons, look, languages, trigger, limits] + (isLaunched ? [displays] : [])
    }

    private var displays: FormSection {
        FormSection(
            "c-displays", "Who has seen it already",
            [
                FormBlock([
                    fill.check(
                        "anew", "Reset display counts",
                        hint: "People who have reached the display limit can see it again."
                    )
                ])
            ]
        )
    }

    private var texts: FormSection {
        FormSection(
            "c-what", "What it says",
            [
                FormBlock([
                    fill.campaignName,
                    fill.select("type", "What it looks like", InAppWords.types),
                    fill.line("title", "Title", inserts: true), fill.area("body", "Text", inserts: true),
                ]),
                FormBlock(
                    .two,
                    [
                        fill.line("image", "Image", hint: "Its https address.", isTechnical: true, inserts: true),
                        fill.line("alt", "What the image shows", hint: "For people who do not see it.", inserts: true),
                        fill.select(
                            "tapDoes", "A tap on the image or banner", [("", "Nothing")] + InAppWords.actions,
                            hint: "Buttons have their own."
                        ),
                        fill.line("tapTarget", "Address, or name of the event", isTechnical: true, inserts: true),
                    ]
                ),
                FormBlock(
                    [
                        fill.area(
                            "html", "HTML", hint: "For 'A page of your own', with nothing beside it.", isCode: true,
                            inserts: true
                        )
                    ], fold: "A page of your own", isOpen: !fill.fields["html"].isEmpty
                ),
                actions,
                fill.defaults(),
            ]
        )
    }

    private var actions: FormBlock {
        let fields = fill.places(InAppParts.actionRows, spare: 2).flatMap { place in
            [
                fill.select(
                    "actionDoes", "Step \(place + 1)",
                    [("", "Not used")] + InAppWords.actions.filter { $0.0 != InAppActionKind.close.rawValue },
                    row: place
                ),
                fill.line("actionTarget", "Address, or name of the event", row: place, isTechnical: true),
            ]
        }
        return FormBlock(
            .two, fields, fold: "Nothing to see, only actions",
            isOpen: !InAppParts.actionRows.used(fill.fields).isEmpty
        )
    }

    private var buttons: FormSection {
        let blocks = fill.places(InAppParts.buttonRows, spare: 1).map { place in
            FormBlock(
                .two,
                [
                    fill.hidden("buttonWas", row: place),
                    fill.line("buttonText", "Text", row: place, inserts: true),
                    fill.select("buttonDoes", "A press", InAppWords.actions, row: place),
                    fill.line("buttonTarget", "Address, or name of the event", row: place, isTechnical: true),
                    fill.line(
                        "buttonId", "Name in the figures", hint: "May be empty.", row: place, isTechnical: true),
                ],
                legend: "Button \(place + 1)"
            )
        }
        return FormSection("c-buttons", "Buttons", hint: "At most five; each closes the message, too.", blocks)
    }

    private var look: FormSection {
        FormSection(
            "c-look", "Order and colors",
            [
                FormBlock(
                    .two,
                    [
                        fill.select(
                            "layout", "Order",
                            [
                                ("", "Image, title, text"), ("imageTitleBody", "Image, title, text (set explicitly)"),
                                ("titleImageBody", "Title, image, text"),
                            ]
                        ),
                        fill.line("background", "Background", hint: "#RRGGBB; empty: white.", isTechnical: true),
                        fill.line("text", "Text", isTechnical: true),
                        fill.line("button", "First button", isTechnical: true),
                        fill.line("buttonColor", "Text of the first button", isTechnical: true),
                    ],
                    fold: "On a light device",
                    isOpen: isSaid(["layout", "background", "text", "button", "buttonColor"])
                ),
                FormBlock(
                    .two,
                    [
                        fill.line("darkBackground", "Background, dark", isTechnical: true),
                        fill.line("darkText", "Text, dark", isTechnical: true),
                        fill.line("darkButton", "First button, dark", isTechnical: true),
                        fill.line("darkButtonColor", "Text of the first button, dark", isTechnical: true),
                    ],
                    fold: "On a dark device",
                    isOpen: isSaid(["darkBackground", "darkText", "darkButton", "darkButtonColor"])
                ),
            ]
        )
    }

    private func isSaid(_ names: [String]) -> Bool { names.contains { !fill.fields[$0].isEmpty } }

    private var languages: FormSection {
        let blocks = fill.places(InAppParts.variantRows, spare: 1).map { place in
            FormBlock(
                .two,
                [
                    fill.hidden("variantWas", row: place),
                    fill.line(
                        "variantLocale", "Language", hint: "Such as de, fr-CA or ar.", row: place, isTechnical: true),
                    fill.line("variantTitle", "Title", row: place, inserts: true),
                    fill.area("variantBody", "Text", row: place, inserts: true),
                    fill.line("variantImage", "Image", row: place, isTechnical: true),
                    fill.line("variantAlt", "What the image shows", row: place),
                    fill.area(
                        "variantButtons", "Texts of the buttons", hint: "A line each: name of the button = its text.",
                        row: place
                    ),
                    fill.area("variantHtml", "HTML", row: place, isCode: true),
                ],
                fold: fill.languageTitle("variantLocale", place)
            )
        }
        return FormSection(
            "c-languages", "Other languages", hint: "Empty fields are taken from the message itself.", blocks
        )
    }

    private var trigger: FormSection {
        var blocks = [
            FormBlock(
                .two,
                [
                    fill.line(
                        "trigger", "Event", hint: "Such as session:start, screen or purchase.", list: "events",
                        isTechnical: true
                    ),
                    fill.line("occurrence", "Which of them", hint: "3 is the third. Empty: the first."),
                    fill.line("delay", "Seconds to wait after it", hint: "Empty: none."),
                    fill.line(
                        "viewId", "Place in the app", hint: "For 'Inside a page of the app': its view id.",
                        isTechnical: true
                    ),
                ]
            )
        ]
        blocks += conditions
        return FormSection("c-trigger", "What makes it appear", blocks)
    }

    /// The conditions on the event that triggers the message.
    private var conditions: [FormBlock] {
        var blocks = [
            FormBlock([
                fill.select(
                    "filterMatch", "Only events for which",
                    [("all", "all of these conditions hold"), ("any", "one of these conditions holds")],
                    hint: "Attributes of the event, or the device's, such as device.appVersion."
                )
            ])
        ]
        for place in fill.places(InAppParts.filterRows, spare: 1) {
            blocks.append(
                FormBlock(
                    .three,
                    [
                        fill.line("filterName", "Attribute", row: place, list: "filter-names", isTechnical: true),
                        fill.select("filterOp", "Compared", ComparisonWords.operators, row: place),
                        fill.line("filterValue", "With", row: place),
                    ],
                    legend: "Condition \(place + 1)"
                )
            )
        }
        blocks.append(
            FormBlock(
                [fill.area("filterJSON", "Conditions as JSON", hint: "Instead of the rows.", isCode: true)],
                fold: "Conditions as JSON", isOpen: !fill.fields["filterJSON"].isEmpty
            )
        )
        return blocks
    }

    private var limits: FormSection {
        FormSection(
            "c-limits", "How often and when",
            [
                FormBlock(
                    .two,
                    [
                        fill.line("limit", "How often a person sees it", hint: "Empty: once; inside a page, always."),
                        fill.line("priority", "Priority", hint: "When several are due, the lowest number goes first."),
                    ] + start + [
                        fill.line(
                            "starts", "Shown from", hint: "By the clocks of \(basis.zone.name). Empty: at once.",
                            type: "datetime-local"
                        ),
                        fill.line(
                            "ends", "Shown until",
                            hint: "By the clocks of \(basis.zone.name). Empty: until it is cancelled.",
                            type: "datetime-local"
                        ),
                    ]
                )
            ]
        )
    }

    private var start: [FormField] {
        guard !isLaunched else { return [] }
        return [
            fill.line(
                "at", "The campaign begins", hint: "By the clocks of \(basis.zone.name). Empty: at its launch.",
                type: "datetime-local"
            )
        ]
    }
}
