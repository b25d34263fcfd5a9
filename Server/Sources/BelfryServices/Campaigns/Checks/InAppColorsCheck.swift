import BelfryModel
import BelfryRules

/// Checks that everybody can read a message's colours (IAM-14), in light and dark mode. Colours that the message does
/// not set are the renderer's.
struct InAppColorsCheck {
    private typealias NamedColor = (name: String, own: String?, standard: String)

    let colors: InAppColors
    let field: String

    func check(_ errors: inout FieldErrors) {
        let light = InAppDarkColors(
            background: colors.background, text: colors.text, button: colors.button, buttonText: colors.buttonText
        )
        check(light, over: .light, field, &errors)
        if let dark = colors.dark { check(dark, over: .dark, "\(field).dark", &errors) }
    }

    private func check(
        _ own: InAppDarkColors, over palette: InAppPalette, _ field: String, _ errors: inout FieldErrors
    ) {
        checkPair(
            ("text", own.text, palette.text), on: ("background", own.background, palette.background), field, &errors
        )
        checkPair(
            ("buttonText", own.buttonText, palette.buttonText), on: ("button", own.button, palette.button), field,
            &errors
        )
    }

    private func checkPair(_ text: NamedColor, on ground: NamedColor, _ field: String, _ errors: inout FieldErrors) {
        for color in [text, ground] {
            guard let own = color.own, InAppColor(own) == nil else { continue }
            errors.reject(
                "\(field).\(color.name)", "invalidColor", "A color is written as #RRGGBB; this is '\(own.prefix(32))'."
            )
        }
        let (front, back) = (text.own ?? text.standard, ground.own ?? ground.standard)
        guard text.own != nil || ground.own != nil, let ratio = InAppContrast.ratio(front, back),
            ratio < InAppContrast.minimum
        else { return }
        let standard = [text, ground].filter { $0.own == nil }.map {
            " (without '\($0.name)', a message has \($0.standard))"
        }
        errors.reject(
            "\(field).\(text.own == nil ? ground.name : text.name)", "lowContrast",
            """
            \(front) on \(back) has a contrast of \(Self.shown(ratio)) to 1\(standard.joined()); people need at least \
            \(InAppContrast.minimum) to 1 to read it.
            """
        )
    }

    /// The ratio for an error, rounded down so that it does not look sufficient.
    private static func shown(_ ratio: Double) -> String {
        String((ratio * 10).rounded(.down) / 10)
    }
}
