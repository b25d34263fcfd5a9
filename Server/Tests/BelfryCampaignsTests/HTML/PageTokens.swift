/// A second reading of HTML, for tests alone: the tokenizer of the HTML standard (13.2.5), written on scalars and without
/// regard to the one that checks what marketers write.
struct PageTokens {
    struct Attribute: Hashable {
        let name: String
        /// With its character references resolved.
        let value: String
    }

    enum Token: Hashable {
        case start(String, [Attribute])
        case end(String)
        case comment(String)
        case text(String)
    }

    /// Elements whose text a browser may read as text alone.
    static let rawElements: Set = [
        "iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp",
    ]

    private let input: [Unicode.Scalar]
    private var index = 0
    private var text = ""
    private(set) var tokens: [Token] = []

    /// - Parameter isRaw: whether the text of an element that has begun is text alone: that turns on the elements around
    ///   it, which no tokenizer knows. So does whether `<![CDATA[` begins a text or a comment.
    init(_ html: String, isRaw: () -> Bool) {
        input = Array(html.unicodeScalars)
        while index < input.count {
            if at("<![CDATA["), isRaw() {
                readCharacterData()
            } else if let name = readToken(), Self.rawElements.contains(name), isRaw() {
                readRaw(name)
            }
        }
        flush()
    }

    /// Reads on from `<`, or one scalar of text; the name of a start tag.
    private mutating func readToken() -> String? {
        guard input[index] == "<" else {
            text.unicodeScalars.append(input[index])
            index += 1
            return nil
        }
        if at("<!--") {
            readComment()
        } else if at("</"), let next = scalar(2), Self.isLetter(next) {
            index += 2
            if let (name, _) = readTag() { add(.end(name)) }
        } else if at("</>") {
            index += 3
        } else if at("<!") || at("<?") || (at("</") && scalar(2) != nil) {
            var comment = ""
            while index < input.count, input[index] != ">" {
                comment.unicodeScalars.append(input[index])
                index += 1
            }
            index += 1
            add(.comment(comment))
        } else if let next = scalar(1), Self.isLetter(next) {
            index += 1
            guard let (name, attributes) = readTag() else { return nil }
            add(.start(name, attributes))
            return name
        } else {
            text.unicodeScalars.append("<")
            index += 1
        }
        return nil
    }

    private mutating func readCharacterData() {
        index += "<![CDATA[".unicodeScalars.count
        while index < input.count, !at("]]>") { text += take() }
        index = min(index + 3, input.count)
    }

    private mutating func readComment() {
        index += 4
        let start = index
        if at(">") || at("->") {
            index += at(">") ? 1 : 2
            return add(.comment(""))
        }
        while index < input.count, !at("-->"), !(at("--!>")) { index += 1 }
        var comment = ""
        comment.unicodeScalars.append(contentsOf: input[start..<index])
        index = min(index + (at("-->") ? 3 : 4), input.count)
        add(.comment(comment))
    }

    /// Nil when the text ends in it.
    private mutating func readTag() -> (String, [Attribute])? {
        let name = word { Self.isSpace($0) || $0 == "/" || $0 == ">" }
        var attributes: [Attribute] = []
        while index < input.count {
            if input[index] == ">" {
                index += 1
                return (name, attributes)
            }
            if Self.isSpace(input[index]) || input[index] == "/" {
                index += 1
            } else {
                attributes.append(readAttribute())
            }
        }
        return nil
    }

    private mutating func readAttribute() -> Attribute {
        let first = Self.lowered(input[index])
        index += 1
        let name = String(first) + word { Self.isSpace($0) || $0 == "/" || $0 == ">" || $0 == "=" }
        let end = index
        skipSpaces()
        guard at("=") else {
            index = end
            return Attribute(name: name, value: "")
        }
        index += 1
        skipSpaces()
        guard index < input.count, input[index] != ">" else { return Attribute(name: name, value: "") }
        let quote = input[index]
        var value = ""
        if quote == "\"" || quote == "'" {
            index += 1
            while index < input.count, input[index] != quote { value += take() }
            index += 1
        } else {
            while index < input.count, !Self.isSpace(input[index]), input[index] != ">" { value += take() }
        }
        return Attribute(name: name, value: PageReferences.resolved(value))
    }

    private mutating func readRaw(_ name: String) {
        var isEscaped = false
        while index < input.count {
            if name == "script", at("<!--") { isEscaped = true }
            if name != "plaintext", at("</" + name), scalar(2 + name.unicodeScalars.count).map(Self.endsName) ?? false {
                flush()
                index += 2
                if readTag() != nil { add(.end(name)) }
                return
            }
            // A script in what looks like a comment is more than these tests need.
            if isEscaped, at("<script") { index = input.count } else { text += take() }
        }
    }

    private mutating func take() -> String {
        defer { index += 1 }
        return String(input[index])
    }

    private mutating func word(until isOver: (Unicode.Scalar) -> Bool) -> String {
        var word = ""
        while index < input.count, !isOver(input[index]) {
            word.unicodeScalars.append(Self.lowered(input[index]))
            index += 1
        }
        return word
    }

    private mutating func skipSpaces() {
        while index < input.count, Self.isSpace(input[index]) { index += 1 }
    }

    private mutating func add(_ token: Token) {
        flush()
        tokens.append(token)
    }

    private mutating func flush() {
        if !text.isEmpty { tokens.append(.text(text)) }
        text = ""
    }

    private func scalar(_ distance: Int) -> Unicode.Scalar? {
        index + distance < input.count ? input[index + distance] : nil
    }

    /// In whatever case, as tags are read.
    private func at(_ word: String) -> Bool {
        var place = index
        for scalar in word.unicodeScalars {
            guard place < input.count, Self.lowered(input[place]) == Self.lowered(scalar) else { return false }
            place += 1
        }
        return true
    }

    private static func lowered(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { ("a"..."z").contains(lowered(scalar)) }
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { "\t\n\u{C}\r ".unicodeScalars.contains(scalar) }
    private static func endsName(_ scalar: Unicode.Scalar) -> Bool { isSpace(scalar) || scalar == "/" || scalar == ">" }
}

/// Character references, for tests alone.
enum PageReferences {
    private static let named: [(String, String)] = [
        ("&amp;", "&"), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&apos;", "'"), ("&colon;", ":"),
        ("&Tab;", "\t"),
        ("&NewLine;", "\n"), ("&lpar;", "("), ("&sol;", "/"),
    ]

    static func resolved(_ text: String) -> String {
        var resolved = ""
        var rest = Substring(text).unicodeScalars
        while let first = rest.first {
            if let (name, value) = named.first(where: { rest.starts(with: $0.0.unicodeScalars) }) {
                resolved += value
                rest = rest.dropFirst(name.unicodeScalars.count)
            } else if let (scalar, length) = number(rest) {
                resolved.unicodeScalars.append(scalar)
                rest = rest.dropFirst(length)
            } else {
                resolved.unicodeScalars.append(first)
                rest = rest.dropFirst()
            }
        }
        return resolved
    }

    private static func number(_ text: Substring.UnicodeScalarView) -> (Unicode.Scalar, Int)? {
        guard text.starts(with: "&#".unicodeScalars) else { return nil }
        let isHex = text.dropFirst(2).first.map { $0 == "x" || $0 == "X" } ?? false
        let digits = text.dropFirst(isHex ? 3 : 2).prefix {
            $0.properties.isASCIIHexDigit && (isHex || $0.value < 0x3A)
        }
        guard !digits.isEmpty else { return nil }
        let length = (isHex ? 3 : 2) + digits.count
        let isEnded = text.dropFirst(length).first == ";"
        let value = UInt32(String(String.UnicodeScalarView(digits)), radix: isHex ? 16 : 10)
        return (value.flatMap(Unicode.Scalar.init) ?? "\u{FFFD}", length + (isEnded ? 1 : 0))
    }
}
