import BelfryInAppRenderer
import BelfryModel
import BelfryServices

/// How and to whom a preview shows a draft.
struct PreviewSettings: Hashable, Sendable {
    var person = PreviewPerson.invented([:])
    /// The language to show; nil: that of the person.
    var locale: String?
    /// Light, dark, or both.
    var looks = [PhoneLook(), PhoneLook(isDark: true)]

    init() {}

    init(_ fields: FormFields) {
        let typed = Dictionary(
            ComposeText.lines(fields["previewValues"]).compactMap(ComposeText.pair).map { ($0.name, $0.value) }
        ) { $1 }
        switch fields["previewPerson"] {
        case "contact" where !fields["previewKey"].showsNothing: person = .contact(fields["previewKey"])
        case "empty": person = .knownBy(typed)
        default: person = .invented(typed)
        }
        let language = fields["previewLocale"]
        locale = language.showsNothing ? nil : language
        let isLarge = fields["previewSize"] == "large"
        let isRightToLeft =
            fields["previewDirection"] == "rtl"
            || InAppPageOptions(bridge: .preview, language: locale).isRightToLeft
        let all = [false, true].map { PhoneLook(isDark: $0, isLarge: isLarge, isRightToLeft: isRightToLeft) }
        looks =
            switch fields["previewLook"] {
            case "light": [all[0]]
            case "dark": [all[1]]
            default: all
            }
    }

    /// The fields by which somebody chooses.
    static func fields(_ fill: FormFill, languages: Bool) -> [FormField] {
        let person = fill.select(
            "previewPerson", "Seen by",
            [
                ("", "An invented person"), ("empty", "A person of whom nothing is known"),
                ("contact", "The contact with the key"),
            ]
        )
        let key = fill.line(
            "previewKey", "Contact key", hint: "Type the beginning: contacts are found by it.", type: "search",
            isTechnical: true
        )
        let values = fill.area("previewValues", "Their values", hint: "A line each, such as: city = Paris")
        guard languages else { return [person, key, values] }
        return [
            person, key, values,
            fill.line("previewLocale", "Language", hint: "Such as de or ar; empty: the person's.", isTechnical: true),
            fill.select(
                "previewLook", "Screen", [("", "Light and dark"), ("light", "Light"), ("dark", "Dark")]
            ),
            fill.select("previewSize", "Size of text", [("", "As usual"), ("large", "Large")]),
            fill.select("previewDirection", "Direction", [("", "As the language"), ("rtl", "Right to left")]),
        ]
    }
}

/// How the phone of a preview is set.
struct PhoneLook: Hashable, Sendable {
    var isDark = false
    var isLarge = false
    var isRightToLeft = false

    /// Per cent of the usual size, as a person has it who needs large text.
    static let largeScale = 150

    /// Classes of the design system.
    var classes: String {
        [isDark ? "dark" : "", isLarge ? "large" : ""].filter { !$0.isEmpty }.joined(separator: " ")
    }

    var words: String {
        let screen = isDark ? "On a dark screen" : "On a light screen"
        return screen + (isLarge ? ", in large text" : "") + (isRightToLeft ? ", right to left" : "")
    }

    /// As an address says it.
    var query: String {
        "look=\(isDark ? "dark" : "light")&size=\(isLarge ? "large" : "")&direction=\(isRightToLeft ? "rtl" : "")"
    }

    init(isDark: Bool = false, isLarge: Bool = false, isRightToLeft: Bool = false) {
        self.isDark = isDark
        self.isLarge = isLarge
        self.isRightToLeft = isRightToLeft
    }

    /// Of an address.
    init(_ query: FormFields) {
        self.init(
            isDark: query["look"] == "dark", isLarge: query["size"] == "large",
            isRightToLeft: query["direction"] == "rtl"
        )
    }
}
