/// The default colors of an in-app message, for light and dark mode. The code that checks a message and the code that
/// draws it use the same ones, so that a readable result stays readable (IAM-14).
public struct InAppPalette: Hashable, Sendable {
    /// Each color is `#RRGGBB`.
    public let background: String
    public let text: String
    public let button: String
    public let buttonText: String

    public init(background: String, text: String, button: String, buttonText: String) {
        self.background = background
        self.text = text
        self.button = button
        self.buttonText = buttonText
    }

    public static let light = InAppPalette(
        background: "#FFFFFF", text: "#1C1C1E", button: "#0A5BD3", buttonText: "#FFFFFF"
    )
    public static let dark = InAppPalette(
        background: "#1C1C1E", text: "#F5F5F7", button: "#6CB2FF", buttonText: "#07182E"
    )
}
