/// The colours of an in-app message, each `#RRGGBB`. Absent ones are the renderer's own.
public struct InAppColors: Hashable, Sendable, Codable {
    public var background: String?
    public var text: String?
    public var button: String?
    public var buttonText: String?
    /// What stands in for them while the device is dark.
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

/// The colours of an in-app message on a dark device, each `#RRGGBB`.
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
