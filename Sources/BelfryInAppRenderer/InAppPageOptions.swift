/// Whether a page is light or dark.
public enum InAppAppearance: String, Hashable, Sendable, CaseIterable {
    /// As the device is.
    case system
    case light
    case dark
}

/// The options of a page.
public struct InAppPageOptions: Hashable, Sendable {
    public var bridge: InAppBridge
    /// The message's language (BCP 47), for screen readers and for the page's own words.
    public var language: String?
    /// Whether the page runs from right to left. A text in the other direction keeps its own.
    public var isRightToLeft: Bool
    /// Whether script in the marketer's own HTML runs.
    public var allowsScripts: Bool
    /// Schemes of the links that the marketer's own HTML may open, in lower case.
    public var linkSchemes: Set<String>
    /// A preview shows what a light or a dark device shows, whatever the device is that it is on.
    public var appearance: InAppAppearance
    /// How many times as large as usual texts are, in per cent, for a preview of large text; on a device its own setting
    /// counts. 100 changes nothing.
    public var textScale: Int

    /// - Parameters:
    ///   - isRightToLeft: nil: the direction of the language.
    ///   - textScale: in per cent; 50 to 300.
    public init(
        bridge: InAppBridge,
        language: String? = nil,
        isRightToLeft: Bool? = nil,
        allowsScripts: Bool = false,
        linkSchemes: Set<String> = InAppLinks.standardSchemes,
        appearance: InAppAppearance = .system,
        textScale: Int = 100
    ) {
        self.bridge = bridge
        self.language = language
        self.isRightToLeft = isRightToLeft ?? WritingDirection.isRightToLeft(language: language)
        self.allowsScripts = allowsScripts
        self.linkSchemes = linkSchemes
        self.appearance = appearance
        self.textScale = min(max(textScale, 50), 300)
    }
}
