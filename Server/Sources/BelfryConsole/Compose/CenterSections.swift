import BelfryModel
import BelfryServerModel

/// The sections of the form for a message in a message center.
struct CenterSections {
    let fill: FormFill
    let basis: ComposeBasis

    var all: [FormSection] {
        let blocks = [
            FormBlock([
                fill.campaignName
            ])
        ]
        return [
            FormSection(
                "c-what", "What it says", blocks + self.blocks(isBesidePush: false) + [badge]
            )
        ]
    }

    /// - Parameter isBesidePush: whether the message goes with a push; then empty fields take the push's texts.
    func blocks(isBesidePush: Bool) -> [FormBlock] {
        let empty = isBesidePush ? "Empty: as in the push." : nil
        let isUsed = !isBesidePush || fill.fields.contains("keep")
        let main = FormBlock(
            [
                fill.select("center", "Message center", centers),
                fill.line("centerSubject", isBesidePush ? "Its title" : "Title", hint: empty, inserts: true),
                fill.area("centerMessage", isBesidePush ? "Its text" : "Text", hint: empty, inserts: true),
                fill.line("icon", "Icon", hint: "Its https address.", isTechnical: true),
                fill.line(
                    "deeplink", "Opening it leads to", hint: "A link such as myapp://sale.", isTechnical: true,
                    inserts: true
                ),
                fill.line(
                    "messageExpires", "Hidden from",
                    hint: "By the clocks of \(basis.zone.name). Empty: it stays.",
                    type: "datetime-local"
                ),
            ],
            fold: isBesidePush ? "The kept message" : nil, isOpen: isUsed
        )
        return [main, rich(isBesidePush), missing(isBesidePush)] + languages
    }

    private func rich(_ isBesidePush: Bool) -> FormBlock {
        FormBlock(
            [
                fill.line(
                    "richUrl", "Address of a page", hint: "Its https address; or the page itself below.",
                    isTechnical: true
                ),
                fill.area("richHtml", "The page itself, as HTML", isCode: true, inserts: true),
            ],
            fold: "A page to open", isOpen: !fill.fields["richUrl"].isEmpty || !fill.fields["richHtml"].isEmpty
        )
    }

    private func missing(_ isBesidePush: Bool) -> FormBlock {
        fill.defaults(
            "centerDefaults",
            fold: isBesidePush ? "When a value is missing in the kept message" : "When a value is missing"
        )
    }

    private var badge: FormBlock {
        FormBlock(.two, fill.badge)
    }

    private var centers: [(String, String)] {
        basis.centers.map { center in
            let label = center.label.map { "\($0.isolated) (\(center.name.rawValue))" } ?? center.name.rawValue
            return (center.name.rawValue, center.isEnabled ? label : "\(label), disabled")
        }
    }

    private var languages: [FormBlock] {
        fill.places(CenterParts.variantRows, spare: 1).map { place in
            FormBlock(
                .two,
                [
                    fill.hidden("centerVariantWas", row: place),
                    fill.line(
                        "centerVariantLocale", "Language", hint: "Such as de or fr-CA.", row: place, isTechnical: true),
                    fill.line("centerVariantSubject", "Title", row: place, inserts: true),
                    fill.area("centerVariantMessage", "Text", row: place, inserts: true),
                    fill.line("centerVariantUrl", "Address of a page", row: place, isTechnical: true),
                    fill.area("centerVariantHtml", "The page as HTML", row: place, isCode: true),
                ],
                fold: "Kept message: \(fill.languageTitle("centerVariantLocale", place))"
            )
        }
    }
}
