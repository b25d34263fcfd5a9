import BelfryModel
import BelfryServerModel

/// The form fields for buttons and languages of a push.
extension PushParts {
    static let buttonRows = FormRows(
        names: ["buttonWas", "buttonText", "buttonLink", "buttonId"],
        decisive: ["buttonText", "buttonLink", "buttonId"],
        maximum: 4
    )

    static let buttons = ComposePart(
        buttonRows.names,
        show: { draft, _ in buttonRows.values((draft.push?.buttons ?? []).map(shown)) },
        write: { fields, draft, _, _ in
            let base = draft.push?.buttons ?? []
            var made = buttonRows.used(fields).map { button($0, of: base) }
            ButtonNames.fill(&made, \.id)
            draft.push?.buttons = made.isEmpty ? nil : made
        },
        place: { name, fields in
            guard let found = FormRows.index(in: name, after: "push.buttons") else {
                return name == "push.buttons" ? "buttonText.0" : nil
            }
            let field = found.rest.isAPIName("action") ? "buttonLink" : found.rest == "id" ? "buttonId" : "buttonText"
            return buttonRows.field(field, index: found.index, fields)
        },
        isSame: { buttonRows.isSame($0, $1) }
    ).merged(.rows(ComposePart.KeyedRows(rows: buttonRows, key: "buttonWas", label: "buttonText")))

    private static func shown(_ button: NotificationButton) -> [String: String] {
        [
            "buttonWas": button.id, "buttonText": button.text, "buttonLink": button.action?.url ?? "",
            "buttonId": button.id,
        ]
    }

    /// The button of a row. Values that the row does not show are kept from the former button.
    private static func button(_ row: FormRows.Row, of base: [NotificationButton]) -> NotificationButton {
        let was = base.first { buttonRows.sent(shown($0))["buttonWas"] == row["buttonWas"] }
        let before = was.map { buttonRows.sent(shown($0)) } ?? [:]
        var button = was ?? NotificationButton(id: "", text: "")
        if !row.says("buttonText", before["buttonText"]) { button.text = row["buttonText"] }
        if !row.says("buttonId", before["buttonId"]) { button.id = row["buttonId"] }
        if !row.says("buttonLink", before["buttonLink"] ?? "") {
            button.action =
                row["buttonLink"].showsNothing ? nil : NotificationAction(type: .openUrl, url: row["buttonLink"])
        }
        return button
    }

    static let variantRows = FormRows(
        names: ["variantWas", "variantLocale", "variantTitle", "variantSubtitle", "variantBody", "variantImage"],
        decisive: ["variantLocale", "variantTitle", "variantSubtitle", "variantBody", "variantImage"], maximum: 120
    )

    static let variants = ComposePart(
        variantRows.names,
        show: { draft, _ in
            variantRows.values((draft.push?.variants ?? [:]).sorted { $0.key < $1.key }.map { shown($0.key, $0.value) })
        },
        write: { fields, draft, _, problems in
            let base = draft.push?.variants ?? [:]
            var made: [String: PushVariant] = [:]
            for row in variantRows.used(fields) {
                guard ComposeText.isNewLocale(row, in: made.keys, &problems) else { continue }
                made[row["variantLocale"]] = variant(row, of: base[row["variantWas"]], was: row["variantWas"])
            }
            draft.push?.variants = made.isEmpty ? nil : made
        },
        place: { ComposeText.variantField($0, after: "push.variants", variantRows, $1, variantFields) },
        isSame: { variantRows.isSame($0, $1) }
    ).merged(.rows(ComposePart.KeyedRows(rows: variantRows, key: "variantWas", label: "variantLocale")))

    private static let variantFields = [
        "title": "variantTitle", "subtitle": "variantSubtitle", "body": "variantBody", "imageUrl": "variantImage",
    ]

    private static func shown(_ locale: String, _ variant: PushVariant) -> [String: String] {
        [
            "variantWas": locale, "variantLocale": locale, "variantTitle": variant.title ?? "",
            "variantSubtitle": variant.subtitle ?? "", "variantBody": variant.body ?? "",
            "variantImage": variant.imageUrl ?? "",
        ]
    }

    private static func variant(_ row: FormRows.Row, of base: PushVariant?, was locale: String) -> PushVariant {
        let before = base.map { shown(locale, $0) } ?? [:]
        var variant = base ?? PushVariant()
        row.change("variantTitle", before) { variant.title = $0 }
        row.change("variantSubtitle", before) { variant.subtitle = $0 }
        row.change("variantBody", before) { variant.body = $0 }
        row.change("variantImage", before) { variant.imageUrl = $0 }
        return variant
    }
}

extension FormRows.Row {
    /// Calls `set` with the field's value if it differs from what was shown; a blank text becomes nil.
    func change(_ name: String, _ before: [String: String], _ set: (String?) -> Void) {
        guard !says(name, ComposePart.read(before[name] ?? "", name)) else { return }
        set(self[name].showsNothing ? nil : self[name])
    }
}
