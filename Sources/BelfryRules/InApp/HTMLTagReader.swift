/// Reads one tag of HTML from behind its `<`, as a browser's tokenizer does (HTML standard, 13.2.5).
struct HTMLTagReader {
    struct Attribute: Hashable {
        /// In lower case.
        let name: String
        /// As it was written.
        let value: String
    }

    struct Tag {
        /// In lower case; empty when no tag begins there.
        var name = ""
        var attributes: [Attribute] = []
        /// Where a tag of the template stands that could make another tag of this one.
        var templateTag: Int?
        /// Behind its last byte.
        var end: Int
    }

    private let bytes: [UInt8]
    private var index: Int
    private var tag: Tag

    init(_ bytes: [UInt8], at index: Int) {
        self.bytes = bytes
        self.index = index
        tag = Tag(end: index)
    }

    mutating func read() -> Tag {
        if isTemplateTag { note(index) }
        guard let first = current, (0x61...0x7A).contains(first | 0x20) else { return tag }
        tag.name = word(until: "/>").lowercased()
        while let byte = current, byte != UInt8(ascii: ">") {
            if byte <= 0x20 || byte == UInt8(ascii: "/") { index += 1 } else { readAttribute() }
        }
        tag.end = index
        return tag
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private var isTemplateTag: Bool {
        index + 1 < bytes.count && bytes[index] == UInt8(ascii: "{") && bytes[index + 1] == UInt8(ascii: "{")
    }

    private mutating func readAttribute() {
        // An equals sign may begin a name.
        let isOdd = current == UInt8(ascii: "=")
        if isOdd { index += 1 }
        let name = (isOdd ? "=" : "") + word(until: "/>=").lowercased()
        var next = index
        while next < bytes.count, bytes[next] <= 0x20 { next += 1 }
        guard next < bytes.count, bytes[next] == UInt8(ascii: "=") else {
            return tag.attributes.append(Attribute(name: name, value: ""))
        }
        index = next + 1
        while let byte = current, byte <= 0x20 { index += 1 }
        tag.attributes.append(Attribute(name: name, value: value()))
    }

    private mutating func word(until ends: String) -> String {
        let start = index
        while let byte = current, byte > 0x20, !ends.utf8.contains(byte) {
            if isTemplateTag { note(index) }
            index += 1
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func value() -> String {
        guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return word(until: ">")
        }
        index += 1
        let start = index
        var openSections = 0
        while let byte = current, byte != quote {
            if isTemplateTag { openSections = passTemplateTag(openSections) } else { index += 1 }
        }
        // A section that ends elsewhere takes the quote with it, or leaves it.
        if openSections != 0 { note(start) }
        let value = String(decoding: bytes[start..<index], as: UTF8.self)
        index = min(index + 1, bytes.count)
        return value
    }

    private mutating func note(_ place: Int) {
        tag.templateTag = tag.templateTag ?? place
    }

    /// Goes behind a tag of the template inside of quotes, and counts the sections that are open there.
    private mutating func passTemplateTag(_ open: Int) -> Int {
        let start = index
        index += 2
        while let byte = current, byte <= 0x20 { index += 1 }
        let kind = current
        let brace = UInt8(ascii: "}")
        while index < bytes.count, bytes[index] != brace || bytes[index - 1] != brace { index += 1 }
        index = min(index + 1, bytes.count)
        switch kind {
        case UInt8(ascii: "#"), UInt8(ascii: "^"): return open + 1
        case UInt8(ascii: "/"):
            if open == 0 { note(start) }
            return max(open - 1, 0)
        default: return open
        }
    }
}
