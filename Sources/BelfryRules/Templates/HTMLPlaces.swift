import BelfryModel

/// Where in HTML the tags of a template stand: escaping makes a value a text between tags and in quoted attributes, and
/// nothing safe elsewhere (SEC-4).
///
/// It reads HTML as a browser's tokenizer does, in the order in which it was written, whatever sections may leave out.
struct HTMLPlaces {
    private enum State: Equatable {
        case text, comment
        /// Inside `<…>`, outside of values.
        case tag
        case quoted(by: UInt8)
        case unquoted
        /// Inside a script or a style sheet.
        case raw
    }

    /// Attributes whose value is an address, or may be one of those that SVG animates.
    private static let addresses: Set = [
        "action", "background", "by", "cite", "data", "formaction", "from", "href", "ping", "poster", "src", "to",
        "values", "xlink:href",
    ]
    /// Attributes whose value is code, or a page of its own.
    private static let code: Set = ["srcdoc", "srcset", "style"]
    private static let rawElements: Set = [
        "iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "xmp",
    ]
    private static let codeSchemes = ["data:", "javascript:", "vbscript:"]

    private let bytes: [UInt8]
    private var state = State.text
    private var element = ""
    /// The attribute whose name was read last.
    private var attribute = ""
    /// Whether a blank or a value came after the name.
    private var isNameOver = true
    /// Whether the attribute has no value yet.
    private var awaitsValue = false
    /// Whether `=` was read.
    private var isValueNext = false
    /// What the writer has put into the quotes so far.
    private var value = ""
    /// Behind the last tag of the template.
    private var lastTagEnd: Int?
    /// Whether a value may have ended a comment, so that nobody knows what the rest is.
    private var isLost = false
    /// Where a tag stands in which no value is safe, by where it begins.
    private var unsafe: [Int: String] = [:]

    init(_ html: String) {
        bytes = Array(html.utf8)
        var index = 0
        while index < bytes.count { index = step(index) }
    }

    /// Why no value may stand where this tag does; nil where one may.
    func refusal(of tag: TemplateTag) -> Refusal? {
        unsafe[tag.start].map { place in
            Refusal(
                code: "unsafePlace",
                message: "{{\(tag.name.prefix(64))}} stands \(place): a value is safe between tags and in quotes."
            )
        }
    }

    /// Reads what stands there, and tells where to go on.
    private mutating func step(_ index: Int) -> Int {
        let byte = bytes[index]
        if byte == UInt8(ascii: "{"), starts("{{", at: index) { return passTag(index) }
        switch state {
        case .text: return byte == UInt8(ascii: "<") ? readOpening(index) : index + 1
        case .comment:
            if ["-->", "--!>"].contains(where: { starts($0, at: index) }) { state = .text }
            if byte == UInt8(ascii: ">"), endsBehindValue(index) { isLost = true }
        case .tag: readTag(byte)
        case .quoted(let quote):
            if byte == quote {
                endValue()
            } else if byte > 0x20 {
                value.unicodeScalars.append(Unicode.Scalar(byte))
            }
        case .unquoted:
            if byte <= 0x20 { endValue() }
            if byte == UInt8(ascii: ">") { endTag() }
        case .raw:
            if byte == UInt8(ascii: "<"), endsRaw(at: index) { openTag("") }
        }
        return index + 1
    }

    private mutating func readOpening(_ index: Int) -> Int {
        if starts("<!--", at: index) {
            // These two are whole: a browser awaits no other end.
            if let whole = ["<!-->", "<!--->"].first(where: { starts($0, at: index) }) {
                return index + whole.utf8.count
            }
            (state, lastTagEnd) = (.comment, nil)
            return index + 4
        }
        let name = bytes[(index + 1)...].prefix { $0 > 0x20 && !"/>{".utf8.contains($0) }
        if let first = name.first, isLetter(first) {
            openTag(String(decoding: name, as: UTF8.self).lowercased())
            return name.endIndex
        }
        // What a value begins may be a tag as well.
        if ["</", "<!", "<?", "<{{"].contains(where: { starts($0, at: index) }) { openTag("") }
        return index + 1
    }

    private mutating func openTag(_ name: String) {
        (state, element) = (.tag, name)
        (attribute, isNameOver, awaitsValue, isValueNext) = ("", true, false, false)
    }

    private mutating func endTag() {
        state = Self.rawElements.contains(element) ? .raw : .text
    }

    private mutating func endValue() {
        (state, isNameOver, awaitsValue) = (.tag, true, false)
    }

    private mutating func readTag(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: ">"): endTag()
        case 0...0x20: isNameOver = true
        case UInt8(ascii: "\"") where isValueNext, UInt8(ascii: "'") where isValueNext:
            (state, isValueNext, value) = (.quoted(by: byte), false, "")
        case _ where isValueNext:
            (state, isValueNext) = (.unquoted, false)
        case UInt8(ascii: "/"): (isNameOver, awaitsValue) = (true, false)
        case UInt8(ascii: "=") where awaitsValue: isValueNext = true
        default:
            if isNameOver { attribute = "" }
            (isNameOver, awaitsValue) = (false, true)
            attribute.unicodeScalars.append(Unicode.Scalar(byte))
        }
    }

    /// Notes where a tag of the template stands, and goes on behind it.
    private mutating func passTag(_ index: Int) -> Int {
        unsafe[index] = place
        var end = index + 2
        while end < bytes.count, !starts("}}", at: end) { end += 1 }
        while end < bytes.count, bytes[end] == UInt8(ascii: "}") { end += 1 }
        lastTagEnd = end
        return end
    }

    /// What makes the place unsafe; nil where a value is safe.
    private var place: String? {
        if isLost { return "behind a comment that a value may end" }
        let name = attribute.lowercased()
        switch state {
        case .text, .comment: return nil
        case .tag, .unquoted: return "in a tag outside of quotes"
        case .raw: return "in <\(element)>"
        case .quoted where name.hasPrefix("on") || Self.code.contains(name): return "in the code of '\(name)'"
        case .quoted where Self.addresses.contains(name):
            // SVG's animations take several values.
            let start =
                (name == "values"
                ? value.split(separator: ";", omittingEmptySubsequences: false).last.map(String.init) ?? "" : value)
                .lowercased()
            if Self.codeSchemes.contains(where: start.hasPrefix) { return "in the code of '\(name)'" }
            return HTMLText.isPastScheme(start) ? nil : "where the address of '\(name)' has its scheme"
        case .quoted: return nil
        }
    }

    /// Whether this `>` ends a comment if the value before it is empty, or has dashes.
    private func endsBehindValue(_ index: Int) -> Bool {
        lastTagEnd.map { bytes[$0..<index].allSatisfy { "-!".utf8.contains($0) } } ?? false
    }

    private func starts(_ text: String, at index: Int) -> Bool {
        guard index + text.utf8.count <= bytes.count else { return false }
        return zip(bytes[index...], text.utf8).allSatisfy { $0 == $1 || (isLetter($0) && $0 | 0x20 == $1) }
    }

    /// Whether the element's own end stands there, and not a longer word.
    private func endsRaw(at index: Int) -> Bool {
        let end = index + 2 + element.utf8.count
        return starts("</\(element)", at: index)
            && (end == bytes.count || bytes[end] <= 0x20 || "/>".utf8.contains(bytes[end]))
    }

    private func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
