/// The bytes that HTML is read by. Escaping and reading go by bytes, never by characters: a combining mark behind a quote
/// or a `<` makes another character of it, and no other byte (SEC-7).
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

    /// What separates attributes; a carriage return is read as a line feed.
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D
    }

    static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// The letters of ASCII in lower case, all else as it is.
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

/// Elements by what a tokenizer does with their text, in lower case.
enum HTMLElements {
    /// Those whose text has no tags, but for places where a browser takes them for others or leaves them out.
    static let raw = names([
        "iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp",
    ])
    /// Those of them whose text is a text, with character references.
    static let text = names(["textarea", "title"])
    /// Those in which others are not what they are elsewhere: in SVG and MathML all have tags in their text, in the others
    /// some are left out, and what was to be their text is read as markup.
    static let foreign = names(["frameset", "math", "select", "svg", "template"])

    static let style = Array("style".utf8)
    static let script = Array("script".utf8)
    static let plain = Array("plaintext".utf8)
    /// Whether its text has tags turns on whether scripts run.
    static let scriptless = Array("noscript".utf8)

    /// Behind `<!`, where a text without tags begins in SVG and MathML.
    static let characterData = Array("[CDATA[".utf8)

    private static func names(_ names: [String]) -> Set<[UInt8]> { Set(names.map { Array($0.utf8) }) }
}
