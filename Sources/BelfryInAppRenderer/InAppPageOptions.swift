/// How a page of an in-app message is made.
public struct InAppPageOptions: Hashable, Sendable {
    public var bridge: InAppBridge
    /// The message's language (BCP 47), for whoever reads it aloud and for the words that are the page's own.
    public var language: String?
    /// Whether the page runs from right to left. A text that runs the other way keeps its own direction.
    public var isRightToLeft: Bool
    /// Whether script in the marketer's own HTML runs.
    public var allowsScripts: Bool
    /// Schemes of the links that the marketer's own HTML may open, in lower case.
    public var linkSchemes: Set<String>

    /// - Parameter isRightToLeft: nil: as the language is written.
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
