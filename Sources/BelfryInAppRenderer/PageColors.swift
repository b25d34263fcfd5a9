import BelfryModel

/// The colours of a page, light and dark, as properties of its style sheet. A marketer's light colours do not apply on
/// a dark device: there the page's own colours are used, unless the message sets dark ones, too.
enum PageColors {
    static func style(_ colors: InAppColors?, appearance: InAppAppearance = .system) -> String {
        let (light, dark) = (InAppPalette.light, InAppPalette.dark)
        let own = colors?.dark
        let day = [
            ("bg", colors?.background, light.background), ("fg", colors?.text, light.text),
            ("btn", colors?.button, light.button), ("btx", colors?.buttonText, light.buttonText),
        ]
        let night = [
            ("bg", own?.background, dark.background), ("fg", own?.text, dark.text),
            ("btn", own?.button, dark.button), ("btx", own?.buttonText, dark.buttonText),
        ]
        return switch appearance {
        case .system: ":root{\(properties(day))}\n@media(prefers-color-scheme:dark){:root{\(properties(night))}}"
        case .light: ":root{\(properties(day))}"
        case .dark: ":root{\(properties(night))}"
        }
    }

    private static func properties(_ colors: [(name: String, named: String?, standard: String)]) -> String {
        colors.map { "--\($0.name):\($0.named.flatMap(color) ?? $0.standard)" }.joined(separator: ";")
    }

    /// An invalid colour could inject other styles.
    private static func color(_ text: String) -> String? {
        let digits = text.utf8.dropFirst()
        let isColor = text.utf8.first == UInt8(ascii: "#") && digits.count == 6 && digits.allSatisfy(\.isHexDigit)
        return isColor ? text : nil
    }
}
