import BelfryModel

/// The section of the form for when a campaign is sent.
struct ScheduleSections {
    let fill: FormFill
    let zone: AppZone

    var section: FormSection {
        FormSection(
            "c-when", "When",
            [
                FormBlock([
                    fill.choice(
                        "when", "Time",
                        [
                            ("now", "At its launch"), ("at", "At a time in \(zone.name)"),
                            ("local", "At a time of each person's own clock"),
                        ]
                    ),
                    fill.line("at", "Day and time", type: "datetime-local"),
                    fill.check("quiet", "Respect quiet hours", hint: "By each person's own clock"),
                ]),
                FormBlock(
                    .three,
                    [
                        fill.line("quietFrom", "From", type: "time"), fill.line("quietTo", "Until", type: "time"),
                        fill.select(
                            "quietThen", "What is due then",
                            [("delay", "Wait until they end"), ("suppress", "Do not send it")]
                        ),
                    ]
                ),
                FormBlock(
                    .three,
                    [
                        fill.line("capCount", "At most so many pushes", hint: "To one device, this one included."),
                        fill.line("capWithin", "Within"),
                        fill.select("capUnit", "Unit", [("D", "days"), ("H", "hours"), ("M", "minutes")]),
                        fill.line(
                            "expires", "Nothing is sent from", hint: "By the clocks of \(zone.name). Empty: no end.",
                            type: "datetime-local"
                        ),
                        fill.line(
                            "rate", "Messages in a second, at most",
                            hint: "Empty: as fast as the push services take them."),
                    ],
                    fold: "Caps, end, speed", isOpen: isLimited
                ),
            ]
        )
    }

    private var isLimited: Bool { ["capCount", "expires", "rate"].contains { !fill.fields[$0].isEmpty } }
}
