/// The colors of an in-app message, each `#RRGGBB`. For absent ones the renderer's own are used.
public struct InAppColors: Hashable, Sendable, Codable {
    public var background: String?
    public var text: String?
    public var button: String?
    public var buttonText: String?
    /// The colors for a device in dark mode.
    public var dark: InAppDarkColors?

    public init(
        background: String? = nil, text: String? = nil, button: String? = nil, buttonText: String? = nil,
        dark: InAppDarkColors? = nil
    ) {
        self.background = background
        self.text = text
        self.button = button
        self.buttonText = buttonText
        self.dark = dark
    }
}

/// The colors of an in-app message in dark mode, each `#RRGGBB`.
public struct InAppDarkColors: Hashable, Sendable, Codable {
    public var background: String?
    public var text: String?
    public var button: String?
    public var buttonText: String?

    public init(
        background: String? = nil, text: String? = nil, button: String? = nil, buttonText: String? = nil
    ) {
        self.background = background
        self.text = text
        self.button = button
        self.buttonText = buttonText
    }
}
