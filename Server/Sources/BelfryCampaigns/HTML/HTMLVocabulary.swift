/// The bytes that matter in HTML. Escaping and reading work on bytes, never on characters: a combining mark after a
/// quote or a `<` forms another character, but not another byte (SEC-7).
enum HTMLByte {
    static let less = UInt8(ascii: "<")
    static let greater = UInt8(ascii: ">")
    static let slash = UInt8(ascii: "/")
    static let dash = UInt8(ascii: "-")
    static let bang = UInt8(ascii: "!")
    static let equals = UInt8(ascii: "=")
    static let ampersand = UInt8(ascii: "&")
    static let quote = UInt8(ascii: "\"")
    static let apostrophe = UInt8(ascii: "'")

    /// White space between attributes; a carriage return counts as a line feed.
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D
    }

    static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// ASCII letters in lower case, everything else unchanged.
    static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// The value of a hexadecimal digit.
    static func hexValue(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46: UInt32(byte - 0x37)
        case 0x61...0x66: UInt32(byte - 0x57)
        default: nil
        }
    }
}

/// Elements by how a tokenizer reads their text, in lower case.
enum HTMLElements {
    /// Elements whose text contains no tags, except where a browser treats them differently or leaves them out.
    static let raw = names([
        "iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp",
    ])
    /// Those elements of ``raw`` whose text may contain character references.
    static let text = names(["textarea", "title"])
    /// Elements that change how others inside them are read: in SVG and MathML all texts contain tags, and in the
    /// others some elements are left out, so that their text is read as markup.
    static let foreign = names(["frameset", "math", "select", "svg", "template"])

    static let style = Array("style".utf8)
    static let script = Array("script".utf8)
    static let plain = Array("plaintext".utf8)
    /// An element whose content is text or markup, depending on whether scripts run.
    static let scriptless = Array("noscript".utf8)

    /// After `<!`, this begins a text without tags in SVG and MathML.
    static let characterData = Array("[CDATA[".utf8)

    private static func names(_ names: [String]) -> Set<[UInt8]> { Set(names.map { Array($0.utf8) }) }
}
