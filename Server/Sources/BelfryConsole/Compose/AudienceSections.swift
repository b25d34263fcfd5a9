import BelfryModel

/// The section of the form for the audience.
struct AudienceSections {
    /// The number of empty rows that the form offers after the used ones.
    static let spareRows = 2
    /// The number of attributes that a select list offers; if there are more, a name is typed.
    static let maximumOffered = 60

    let fill: FormFill
    let basis: ComposeBasis

    var section: FormSection {
        let mode = AudienceForm(fill.fields).mode
        var blocks = [
            FormBlock(
                [fill.choice("audience", "Audience", Self.modes)], problem: fill.problems["audience"]
            ),
            FormBlock(
                .two,
                [
                    fill.select(
                        "match", "How many of the conditions hold",
                        [("all", "All of these"), ("any", "At least one of these")]
                    )
                ]
            ),
        ]
        let places = fill.places(AudienceForm.rows, spare: Self.spareRows)
        for place in places { blocks += row(place) }
        blocks.append(groups)
        blocks.append(
            FormBlock(
                [
                    fill.area(
                        "predicate", "Predicate",
                        hint: "For what rows cannot express: {\"all\":[{\"event\":\"purchase\",\"within\":\"P30D\"}]}",
                        isCode: true
                    )
                ],
                fold: "A predicate as JSON", isOpen: mode == .json
            )
        )
        return FormSection("c-who", "Who gets it", blocks)
    }

    private static let modes: [(String, String)] = [
        ("everyone", "Everyone"), ("clauses", "By the conditions below"), ("json", "By a predicate (JSON)"),
    ]

    private func row(_ place: Int) -> [FormBlock] {
        let number = place + 1
        let problem = fill.problems["clause.\(place)"]
        let row = AudienceRow(AudienceForm.rows.row(place, fill.fields))
        return [
            FormBlock(
                .three,
                [
                    subject(place),
                    fill.select("op", "How condition \(number) compares", ComparisonWords.operators, row: place),
                    fill.line("value", "What condition \(number) compares with", row: place),
                    fill.select(
                        "group", "Group of condition \(number)",
                        [("", "No group")] + AudienceRows.groups.map { ($0, "Group \($0)") },
                        row: place
                    ),
                ].map { field in
                    var field = field
                    field.isNarrow = true
                    if problem != nil, field.name == "value" { field.problem = problem }
                    return field
                },
                legend: "Condition \(number)"
            ),
            FormBlock(
                .three,
                [
                    fill.select("often", "How often they did it", AudienceRow.frequencies, row: place),
                    fill.line("times", "Times", hint: "Empty: once or more.", row: place),
                    fill.line("days", "Within the last days", hint: "Empty: ever.", row: place),
                    fill.line(
                        "whereName", "Only events whose", hint: "The event's attribute, such as price.", row: place),
                    fill.select("whereOp", "Compared", ComparisonWords.operators, row: place),
                    fill.line("whereValue", "With", row: place),
                ],
                fold: "For an event: how often, since when, which",
                isOpen: row.isOfEvent || row.saysWhichEvents
            ),
        ]
    }

    private func subject(_ place: Int) -> FormField {
        let label = "What condition \(place + 1) asks for"
        guard basis.schema.count <= Self.maximumOffered else {
            return fill.line("subject", label, row: place, list: "subjects", isTechnical: true)
        }
        return fill.select("subject", label, [("", "Not used")] + subjects, row: place)
    }

    /// The subjects that a row can ask for.
    var subjects: [(String, String)] {
        let attributes = basis.attributes.map { ("attribute:\($0)", $0) }
        return [
            ("tag", "A tag"), ("event", "An event that they did"), ("noEvent", "An event that they did not do"),
        ] + attributes + Self.deviceSubjects
    }

    private static let deviceSubjects: [(String, String)] = [
        ("fact:pushOptIn", "May get pushes (true, false)"),
        ("fact:lastOpenedAt", "App last opened (2026-12-01, -P30D)"),
        ("known", "Known by a key (true, false)"), ("contactKey", "Contact key"), ("deviceID", "Device id"),
        ("device:platform", "Platform (ios, android, web)"), ("device:appVersion", "App version"),
        ("device:osVersion", "System version"), ("device:sdkVersion", "SDK version"), ("device:deviceModel", "Model"),
        ("device:locale", "Locale"), ("device:timeZone", "Time zone"), ("party:type", "Party identifier: type"),
        ("party:name", "Party identifier: name"), ("party:number", "Party identifier: number"),
    ]

    private var groups: FormBlock {
        FormBlock(
            .three,
            AudienceRows.groups.map { group in
                fill.select(
                    "match\(group)", "In group \(group)",
                    [("any", "at least one holds"), ("all", "all hold")]
                )
            },
            hint: "Conditions of one group count as one condition.", fold: "Groups",
            isOpen: AudienceForm(fill.fields).clauses.contains { !$0.row.group.isEmpty }
        )
    }
}

extension FormRows {
    /// The row at a place of the form; empty where the form has none.
    func row(_ place: Int, _ fields: FormFields) -> Row {
        let all = all(fields)
        return all.indices.contains(place) ? all[place] : Row(place: place, values: [:])
    }
}
