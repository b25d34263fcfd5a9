/// Elements by what a tokenizer does with their text, in lower case.
enum HTMLElements {
    /// Those whose text has no tags, but for places where a browser takes them for others or leaves them out.
    static let raw = names([
        "iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp",
    ])
    /// Those of them whose text is a text, with character references.
    static let text = names(["textarea", "title"])
    /// Those in which others are not what they are elsewhere: in SVG and MathML all have tags in their text, in a list to
    /// choose from most are left out.
    static let foreign = names(["frameset", "math", "select", "svg"])

    static let style = Array("style".utf8)
    static let script = Array("script".utf8)
    static let plain = Array("plaintext".utf8)
    /// Whether its text has tags turns on whether scripts run.
    static let scriptless = Array("noscript".utf8)

    /// Behind `<!`, where a text without tags begins in SVG and MathML.
    static let characterData = Array("[CDATA[".utf8)

    private static func names(_ names: [String]) -> Set<[UInt8]> { Set(names.map { Array($0.utf8) }) }
}
