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

    /// - Parameter isRightToLeft: nil: the direction of the language.
    public init(
        bridge: InAppBridge,
        language: String? = nil,
        isRightToLeft: Bool? = nil,
        allowsScripts: Bool = false,
        linkSchemes: Set<String> = InAppLinks.standardSchemes
    ) {
        self.bridge = bridge
        self.language = language
        self.isRightToLeft = isRightToLeft ?? WritingDirection.isRightToLeft(language: language)
        self.allowsScripts = allowsScripts
        self.linkSchemes = linkSchemes
    }
}
