import BelfryInAppRenderer
import BelfryModel
import BelfryServices

/// The settings of a preview: the person, the language and the phones.
struct PreviewSettings: Hashable, Sendable {
    var person = PreviewPerson.invented([:])
    /// The language to show; nil: the person's own.
    var locale: String?
    /// The phones to show: light, dark, or both.
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

    /// The form fields of these settings.
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

/// The settings of a preview's phone.
struct PhoneLook: Hashable, Sendable {
    var isDark = false
    var isLarge = false
    var isRightToLeft = false

    /// The text size, in percent of the normal size, for a person who needs large text.
    static let largeScale = 150

    /// The CSS classes of the phone.
    var classes: String {
        [isDark ? "dark" : "", isLarge ? "large" : ""].filter { !$0.isEmpty }.joined(separator: " ")
    }

    var words: String {
        let screen = isDark ? "On a dark screen" : "On a light screen"
        return screen + (isLarge ? ", in large text" : "") + (isRightToLeft ? ", right to left" : "")
    }

    /// The query that carries these settings in an address.
    var query: String {
        "look=\(isDark ? "dark" : "light")&size=\(isLarge ? "large" : "")&direction=\(isRightToLeft ? "rtl" : "")"
    }

    init(isDark: Bool = false, isLarge: Bool = false, isRightToLeft: Bool = false) {
        self.isDark = isDark
        self.isLarge = isLarge
        self.isRightToLeft = isRightToLeft
    }

    /// Reads the settings from a query.
    init(_ query: FormFields) {
        self.init(
            isDark: query["look"] == "dark", isLarge: query["size"] == "large",
            isRightToLeft: query["direction"] == "rtl"
        )
    }
}
