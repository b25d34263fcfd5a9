import BelfryModel
import BelfryServerModel

/// The form fields of a message in a message center (MC-3, MC-8).
enum CenterParts {
    /// Whether a push is also kept in a message center. A browser sends nothing for an unchecked box, so a hidden field
    /// says that the form had the box.
    static let keep = ComposePart(["keepAsked", "keep"]) { draft, _ in
        ["keepAsked": ["yes"], "keep": draft.kind.keepsMessage ? ["yes"] : []]
    } write: { fields, draft, _, _ in
        draft.kind = fields.contains("keep") ? .pushAndMessageCenter : .push
        if draft.kind.keepsMessage, draft.messageCenter == nil { draft.messageCenter = MessageCenterContent() }
    }

    static let badge = PushParts.badge(isOfPush: false)

    static let all: [ComposePart] = [
        center,
        ComposePart(["centerSubject"], api: [("messageCenter.subject", "centerSubject")]) { draft, _ in
            ["centerSubject": [draft.messageCenter?.subject ?? ""]]
        } write: { fields, draft, _, _ in
            draft.messageCenter?.subject = fields["centerSubject"]
        },
        ComposePart(["centerMessage"], api: [("messageCenter.message", "centerMessage")]) { draft, _ in
            ["centerMessage": [draft.messageCenter?.message ?? ""]]
        } write: { fields, draft, _, _ in
            draft.messageCenter?.message = fields["centerMessage"]
        },
        .text("icon", api: "messageCenter.iconUrl", { $0.messageCenter?.iconUrl }, { $0.messageCenter?.iconUrl = $1 }),
        .text(
            "deeplink", api: "messageCenter.deeplinkUrl", { $0.messageCenter?.deeplinkUrl },
            { $0.messageCenter?.deeplinkUrl = $1 }
        ),
        .text(
            "richUrl", api: "messageCenter.richUrl", { $0.messageCenter?.richUrl }, { $0.messageCenter?.richUrl = $1 }),
        .text(
            "richHtml", api: "messageCenter.richHtml", { $0.messageCenter?.richHtml },
            { $0.messageCenter?.richHtml = $1 }
        ),
        .moment(
            "messageExpires", api: "messageCenter.expiresAt", { $0.messageCenter?.expiresAt },
            { $0.messageCenter?.expiresAt = $1 }
        ),
        variants,
        ComposeText.defaults(
            "centerDefaults", api: "messageCenter.defaults", { $0.messageCenter?.defaults },
            { $0.messageCenter?.defaults = $1 }
        ),
    ]

    /// Adds an error to each field that was typed for a message that is not kept: the input would be lost. Values that
    /// the form showed for a formerly kept message are removed without an error.
    static func rejectUnkept(
        _ fields: FormFields, over base: CampaignDraft, _ basis: ComposeBasis, _ problems: inout FormProblems
    ) {
        for part in all {
            let shown = FormFields(part.show(base, basis))
            for name in part.names where name != "centerVariantWas" {
                let (isRow, before) = (variantRows.names.contains(name), shown.all(name))
                for (place, value) in fields.all(name).enumerated() {
                    let was = before.indices.contains(place) ? before[place] : ""
                    guard ComposePart.isTyped(value, name, over: was) else { continue }
                    problems.add(
                        isRow ? "\(name).\(place)" : name,
                        "The message is not kept. Tick 'Keep it in a message center, too', or restore the former value."
                    )
                }
            }
        }
    }

    private static let center = ComposePart(["center"], api: [("messageCenter.center", "center")]) { draft, _ in
        ["center": [draft.messageCenter?.center ?? MessageCenterName.primary.rawValue]]
    } write: { fields, draft, _, _ in
        let name = fields["center"]
        draft.messageCenter?.center = name.isEmpty || name == MessageCenterName.primary.rawValue ? nil : name
    }

    static let variantRows = FormRows(
        names: [
            "centerVariantWas", "centerVariantLocale", "centerVariantSubject", "centerVariantMessage",
            "centerVariantUrl", "centerVariantHtml",
        ],
        decisive: [
            "centerVariantLocale", "centerVariantSubject", "centerVariantMessage", "centerVariantUrl",
            "centerVariantHtml",
        ],
        maximum: 120
    )

    private static let variants = ComposePart(
        variantRows.names,
        show: { draft, _ in
            variantRows.values(
                (draft.messageCenter?.variants ?? [:]).sorted { $0.key < $1.key }.map { shown($0.key, $0.value) })
        },
        write: { fields, draft, _, problems in
            let base = draft.messageCenter?.variants ?? [:]
            var made: [String: MessageCenterVariant] = [:]
            for row in variantRows.used(fields) {
                guard ComposeText.isNewLocale(row, in: made.keys, &problems, name: "centerVariantLocale") else {
                    continue
                }
                let was = row["centerVariantWas"]
                made[row["centerVariantLocale"]] = variant(row, of: base[was], was: was)
            }
            draft.messageCenter?.variants = made.isEmpty ? nil : made
        },
        place: {
            ComposeText.variantField(
                $0, after: "messageCenter.variants", variantRows, $1, variantFields, locale: "centerVariantLocale"
            )
        },
        isSame: { variantRows.isSame($0, $1) }
    ).merged(.rows(ComposePart.KeyedRows(rows: variantRows, key: "centerVariantWas", label: "centerVariantLocale")))

    private static let variantFields = [
        "subject": "centerVariantSubject", "message": "centerVariantMessage", "richUrl": "centerVariantUrl",
        "richHtml": "centerVariantHtml",
    ]

    private static func shown(_ locale: String, _ variant: MessageCenterVariant) -> [String: String] {
        [
            "centerVariantWas": locale, "centerVariantLocale": locale, "centerVariantSubject": variant.subject ?? "",
            "centerVariantMessage": variant.message ?? "", "centerVariantUrl": variant.richUrl ?? "",
            "centerVariantHtml": variant.richHtml ?? "",
        ]
    }

    private static func variant(
        _ row: FormRows.Row, of base: MessageCenterVariant?, was locale: String
    ) -> MessageCenterVariant {
        let before = base.map { shown(locale, $0) } ?? [:]
        var variant = base ?? MessageCenterVariant()
        row.change("centerVariantSubject", before) { variant.subject = $0 }
        row.change("centerVariantMessage", before) { variant.message = $0 }
        row.change("centerVariantUrl", before) { variant.richUrl = $0 }
        row.change("centerVariantHtml", before) { variant.richHtml = $0 }
        return variant
    }
}
