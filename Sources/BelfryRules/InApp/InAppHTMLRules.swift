import BelfryModel

/// Which elements and attributes of a marketer's HTML a message may have (IAM-12).
enum InAppHTMLRules {
    struct Fault {
        let code: String
        let what: String
    }

    /// Elements that bring the page of another into the message, or lead it elsewhere by themselves.
    private static let foreignElements: Set = [
        "applet", "base", "embed", "fencedframe", "frame", "frameset", "iframe", "object", "portal",
    ]
    /// Attributes whose value is an address.
    private static let addresses: Set = [
        "action", "background", "cite", "data", "formaction", "href", "longdesc", "manifest", "ping", "poster", "src",
        "xlink:href",
    ]
    /// Attributes of SVG's animations, whose values are those of another attribute, which may be an address.
    private static let animated: Set = ["to", "from", "by", "values"]
    /// Schemes that run a script wherever an element takes an address.
    private static let scriptSchemes: Set = ["javascript", "vbscript", "livescript"]
    /// Schemes that no address in a message has (as in ``LinkRule``); images may be `data`.
    private static let refusedSchemes: Set = [
        "about", "blob", "data", "file", "filesystem", "view-source",
    ]

    static func fault(ofElement name: String, allowsScripts: Bool) -> Fault? {
        if name == "script" || name.hasSuffix(":script") {
            return allowsScripts ? nil : script("<script> stands")
        }
        guard foreignElements.contains(name) else { return nil }
        return Fault(
            code: "notAllowed", what: "<\(name)> stands: a message is one page, and no other is shown in it"
        )
    }

    static func fault(
        of attribute: HTMLTagReader.Attribute, in element: String, allowsScripts: Bool
    ) -> Fault? {
        let name = attribute.name
        if name.hasPrefix("on"), name.count > 2 {
            return allowsScripts ? nil : script("<\(element.prefix(32))> has '\(name.prefix(32))'")
        }
        if name == "srcdoc" || (element == "meta" && name == "http-equiv") {
            return Fault(
                code: "notAllowed",
                what: "<\(element.prefix(32))> has '\(name)': a message is one page and cannot become another"
            )
        }
        if HTMLText.hidesReference(attribute.value, inAddress: addresses.contains(name)) {
            return Fault(
                code: "unsafePlace",
                what: "a tag of the template stands in a character reference of '\(name.prefix(32))'"
            )
        }
        return fault(ofAddress: attribute, allowsScripts: allowsScripts)
    }

    private static func fault(ofAddress attribute: HTMLTagReader.Attribute, allowsScripts: Bool) -> Fault? {
        let isAddress = addresses.contains(attribute.name)
        let text = HTMLText.plain(attribute.value)
        // SVG's animations take several values for an attribute of another name.
        let starts = attribute.name == "values" ? text.split(separator: ";").map(String.init) : [text]
        if isAddress || animated.contains(attribute.name), starts.contains(where: hidesScheme) {
            return Fault(
                code: "unsafePlace",
                what: "a section of the template stands where the address of '\(attribute.name)' has its scheme"
            )
        }
        for scheme in starts.compactMap(LinkRule.scheme) {
            if scriptSchemes.contains(scheme), !allowsScripts {
                return script("'\(attribute.name.prefix(32))' begins with '\(scheme):'")
            }
            guard isAddress, scriptSchemes.contains(scheme) || refusedSchemes.contains(scheme),
                !isImage(text, of: attribute.name)
            else { continue }
            return Fault(
                code: "schemeNotAllowed",
                what: "the address of '\(attribute.name)' begins with '\(scheme):', which no address may"
            )
        }
        return nil
    }

    /// Whether a section or a comment of the template may change what the address begins with. Of values in that place
    /// the template says so itself.
    private static func hidesScheme(_ text: String) -> Bool {
        // What stands in front of the first tag of the template is the writer's own.
        let front = text.prefix { $0 != "{" }
        guard !HTMLText.isPastScheme(front) else { return false }
        let rest = text[front.endIndex...]
        return ["{{#", "{{^", "{{!", "{{/"].contains(where: rest.hasPrefix)
    }

    private static func isImage(_ text: String, of name: String) -> Bool {
        ["src", "href", "xlink:href", "poster", "background"].contains(name) && text.hasPrefix("data:image/")
    }

    private static func script(_ what: String) -> Fault {
        Fault(
            code: "scriptNotAllowed",
            what: "\(what), and script is not allowed: leave it out, or allow it by the app's setting 'inAppScripts'"
        )
    }
}

/// What a browser makes of an attribute's value before it takes it for an address.
enum HTMLText {
    /// In lower case, with character references resolved as far as ASCII goes, and without blanks and control
    /// characters, which addresses lose.
    static func plain(_ value: String) -> String {
        var text = ""
        var rest = Substring(value)
        while let first = rest.unicodeScalars.first {
            if first == "&", let (scalar, end) = reference(in: rest) {
                append(scalar, to: &text)
                rest = rest[end...]
            } else {
                append(first, to: &text)
                rest = rest[rest.unicodeScalars.index(after: rest.startIndex)...]
            }
        }
        return text.lowercased()
    }

    /// Whether an address that begins so has its scheme behind it, or none. The `#` of a character reference is no
    /// fragment's.
    static func isPastScheme(_ start: some StringProtocol) -> Bool {
        var before: Character?
        for character in start {
            if ":/?".contains(character) || (character == "#" && before != "&") { return true }
            before = character
        }
        return false
    }

    /// Whether a tag of the template stands directly behind a character reference that has no end yet, so that what
    /// it leaves decides which character it is. In the query of an address an `&` goes before a name.
    static func hidesReference(_ value: String, inAddress: Bool) -> Bool {
        var rest = Substring(value)
        var front = ""
        while let tag = rest.firstRange(of: "{{") {
            front += rest[..<tag.lowerBound]
            let word = String(
                front.reversed().prefix { ($0.isASCII && ($0.isLetter || $0.isNumber)) || $0 == "#" }.reversed())
            if front.dropLast(word.count).last == "&",
                word.contains("#") || !inAddress || !isPastScheme(front.dropLast(word.count))
            {
                return true
            }
            let behind = rest[tag.upperBound...]
            guard let end = behind.firstRange(of: "}}") else { return false }
            // Sections may leave nothing, so what stands before a tag goes on behind it.
            rest = behind[end.upperBound...].drop { $0 == "}" }
        }
        return false
    }

    private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
        if scalar.value > 0x20 { text.unicodeScalars.append(scalar) }
    }

    /// The named ones that are of use in an address.
    private static let named: [(name: String, scalar: Unicode.Scalar)] = [
        ("&colon;", ":"), ("&tab;", "\t"), ("&newline;", "\n"), ("&sol;", "/"), ("&amp;", "&"), ("&lpar;", "("),
    ]

    private static func reference(in text: Substring) -> (scalar: Unicode.Scalar, end: Substring.Index)? {
        for (name, scalar) in named where text.prefix(name.count).lowercased() == name {
            return (scalar, text.index(text.startIndex, offsetBy: name.count))
        }
        guard text.hasPrefix("&#") else { return nil }
        var digits = text.dropFirst(2)
        let isHex = digits.first == "x" || digits.first == "X"
        if isHex { digits = digits.dropFirst() }
        let number = digits.prefix { isHex ? $0.isHexDigit : $0.isWholeNumber && $0.isASCII }
        guard !number.isEmpty else { return nil }
        let end = digits[number.endIndex...].hasPrefix(";") ? digits.index(after: number.endIndex) : number.endIndex
        // What is too large for a number is no character that an address needs.
        let scalar = UInt32(number, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init) ?? "\u{FFFD}"
        return (scalar, end)
    }
}
