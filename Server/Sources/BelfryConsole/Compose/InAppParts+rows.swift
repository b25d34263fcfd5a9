import BelfryModel
import BelfryServerModel

/// The form fields for buttons, actions and languages of an in-app message.
extension InAppParts {
    static let buttonRows = FormRows(
        names: ["buttonWas", "buttonText", "buttonDoes", "buttonTarget", "buttonId"],
        decisive: ["buttonText", "buttonTarget", "buttonId"], maximum: InAppLimits.maximumButtons
    )

    static let buttons = ComposePart(
        buttonRows.names,
        show: { draft, _ in buttonRows.values((draft.inApp?.content.buttons ?? []).map(shown)) },
        write: { fields, draft, _, problems in
            let base = draft.inApp?.content.buttons ?? []
            var made: [InAppButton] = []
            for row in buttonRows.used(fields) { made.append(button(row, of: base, &problems)) }
            ButtonNames.fill(&made, \.id)
            draft.inApp?.content.buttons = made.isEmpty ? nil : made
        },
        place: { name, fields in
            let prefix = "inApp.content.buttons"
            guard let found = FormRows.index(in: name, after: prefix) else {
                return name == prefix ? "buttonText.0" : nil
            }
            let field = found.rest.isAPIName("action") ? "buttonTarget" : found.rest == "id" ? "buttonId" : "buttonText"
            return buttonRows.field(field, index: found.index, fields)
        },
        isSame: { buttonRows.isSame($0, $1) }
    ).merged(.rows(ComposePart.KeyedRows(rows: buttonRows, key: "buttonWas", label: "buttonText")))

    private static func shown(_ button: InAppButton) -> [String: String] {
        [
            "buttonWas": button.id, "buttonText": button.text, "buttonDoes": button.action.type.rawValue,
            "buttonTarget": target(button.action), "buttonId": button.id,
        ]
    }

    private static func button(
        _ row: FormRows.Row, of base: [InAppButton], _ problems: inout FormProblems
    ) -> InAppButton {
        let was = base.first { buttonRows.sent(shown($0))["buttonWas"] == row["buttonWas"] }
        let before = was.map { buttonRows.sent(shown($0)) } ?? [:]
        var button = was ?? InAppButton(id: "", text: "", action: InAppAction(type: .close))
        if !row.says("buttonText", before["buttonText"]) { button.text = row["buttonText"] }
        if !row.says("buttonId", before["buttonId"]) { button.id = row["buttonId"] }
        if !["buttonDoes", "buttonTarget"].allSatisfy({ row.says($0, before[$0]) }) {
            if ComposePart.isTyped(row["buttonTarget"], "buttonTarget", over: before["buttonTarget"] ?? ""),
                let sentence = needless(row["buttonDoes"])
            {
                problems.add("buttonTarget.\(row.place)", sentence)
            }
            button.action =
                action(row["buttonDoes"], row["buttonTarget"], of: was?.action) ?? InAppAction(type: .close)
        }
        return button
    }

    static let actionRows = FormRows(
        names: ["actionDoes", "actionTarget"], decisive: ["actionDoes", "actionTarget"],
        maximum: InAppLimits.maximumActions
    )

    /// The actions of a message that only runs actions and shows nothing.
    static let actions = ComposePart(
        actionRows.names,
        show: { draft, _ in
            actionRows.values(
                (draft.inApp?.content.actions ?? []).map {
                    ["actionDoes": $0.type.rawValue, "actionTarget": target($0)]
                }
            )
        },
        write: { fields, draft, _, problems in
            let base = draft.inApp?.content.actions ?? []
            var made: [InAppAction] = []
            for row in actionRows.used(fields) {
                let was = row.place < base.count ? base[row.place] : nil
                let (kind, typed) = (row["actionDoes"], row["actionTarget"])
                if ComposePart.isTyped(typed, "actionTarget", over: was.map(target) ?? ""),
                    let sentence = needless(kind)
                {
                    problems.add("actionTarget.\(row.place)", sentence)
                }
                if let step = action(kind, typed, of: was) { made.append(step) }
            }
            draft.inApp?.content.actions = made.isEmpty ? nil : made
        },
        place: { name, fields in
            let prefix = "inApp.content.actions"
            guard let found = FormRows.index(in: name, after: prefix) else {
                return name == prefix ? "actionDoes.0" : nil
            }
            return actionRows.field(found.rest == "type" ? "actionDoes" : "actionTarget", index: found.index, fields)
        },
        isSame: { actionRows.isSame($0, $1) }
    ).merged(.described(at: "actionDoes.0") { InAppWords.steps($0.inApp?.content.actions ?? []) })

    static let variantRows = FormRows(
        names: [
            "variantWas", "variantLocale", "variantTitle", "variantBody", "variantImage", "variantAlt", "variantHtml",
            "variantButtons",
        ],
        decisive: [
            "variantLocale", "variantTitle", "variantBody", "variantImage", "variantAlt", "variantHtml",
            "variantButtons",
        ],
        maximum: 120
    )

    static let variants = ComposePart(
        variantRows.names,
        show: { draft, _ in
            variantRows.values(
                (draft.inApp?.variants ?? [:]).sorted { $0.key < $1.key }.map { shown($0.key, $0.value) })
        },
        write: { fields, draft, _, problems in
            let base = draft.inApp?.variants ?? [:]
            var made: [String: InAppVariant] = [:]
            for row in variantRows.used(fields) {
                guard ComposeText.isNewLocale(row, in: made.keys, &problems) else { continue }
                made[row["variantLocale"]] = variant(
                    row, of: base[row["variantWas"]], was: row["variantWas"], &problems
                )
            }
            draft.inApp?.variants = made.isEmpty ? nil : made
        },
        place: { ComposeText.variantField($0, after: "inApp.variants", variantRows, $1, variantFields) },
        isSame: { variantRows.isSame($0, $1) }
    ).merged(.rows(ComposePart.KeyedRows(rows: variantRows, key: "variantWas", label: "variantLocale")))

    private static let variantFields = [
        "title": "variantTitle", "body": "variantBody", "imageUrl": "variantImage", "imageAlt": "variantAlt",
        "html": "variantHtml", "buttons": "variantButtons",
    ]

    private static func shown(_ locale: String, _ variant: InAppVariant) -> [String: String] {
        [
            "variantWas": locale, "variantLocale": locale, "variantTitle": variant.title ?? "",
            "variantBody": variant.body ?? "", "variantImage": variant.imageUrl ?? "",
            "variantAlt": variant.imageAlt ?? "", "variantHtml": variant.html ?? "",
            "variantButtons": (variant.buttons ?? [:]).sorted { $0.key < $1.key }
                .map { "\($0.key) = \(ComposeText.escaped($0.value))" }.joined(separator: "\n"),
        ]
    }

    private static func variant(
        _ row: FormRows.Row, of base: InAppVariant?, was locale: String, _ problems: inout FormProblems
    ) -> InAppVariant {
        let before = base.map { shown(locale, $0) } ?? [:]
        var variant = base ?? InAppVariant()
        row.change("variantTitle", before) { variant.title = $0 }
        row.change("variantBody", before) { variant.body = $0 }
        row.change("variantImage", before) { variant.imageUrl = $0 }
        row.change("variantAlt", before) { variant.imageAlt = $0 }
        row.change("variantHtml", before) { variant.html = $0 }
        row.change("variantButtons", before) { text in
            var texts: [String: String] = [:]
            for line in ComposeText.lines(text ?? "") {
                guard let pair = ComposeText.pair(line) else {
                    problems.add(
                        "variantButtons.\(row.place)", "Write a line for each button: its name = its text here."
                    )
                    continue
                }
                texts[pair.name] = pair.value
            }
            variant.buttons = texts.isEmpty ? nil : texts
        }
        return variant
    }
}
