import BelfryModel

/// One tag of a template, with its range of bytes.
struct TemplateTag: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// `{{x}}`, or without escaping `{{{x}}}` and `{{&x}}`.
        case variable(isRaw: Bool)
        /// `{{#x}}`; `{{^x}}` is inverted.
        case section(isInverted: Bool)
        /// `{{/x}}`
        case end
        /// `{{! … }}`
        case comment
    }

    let kind: Kind
    let name: String
    /// The range from the first brace to after the last. For a tag that is alone in its line: the whole line.
    var range: Range<Int>
    /// The position of the tag's first brace, even if the range is the whole line.
    let start: Int
}

/// Finds the tags of a template (the Mustache specification's variables, sections, inverted sections and comments).
struct TemplateTagReader {
    /// The most tags of one text: a notification does not need more.
    static let maximumTags = 256
    /// The most bytes of a text with tags; HTML may have more.
    static let maximumBytes = 16_384

    private static let opening = Array("{{".utf8)
    private static let lineFeed = UInt8(ascii: "\n")

    let bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Whether anything in the text could be a tag.
    static func mayHoldTags(_ text: String) -> Bool {
        var isBrace = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: "{") {
                if isBrace { return true }
                isBrace = true
            } else {
                isBrace = false
            }
        }
        return false
    }

    func tags(maximumBytes: Int) throws(TemplateSyntaxError) -> [TemplateTag] {
        guard bytes.count <= maximumBytes else {
            throw syntaxError("a text with tags has at most \(maximumBytes) bytes", at: 0)
        }
        var tags: [TemplateTag] = []
        var index = 0
        while let start = position(of: Self.opening, from: index) {
            let tag = try tag(at: start)
            guard tags.count < Self.maximumTags else {
                throw syntaxError("a text has at most \(Self.maximumTags) tags", at: start)
            }
            index = tag.range.upperBound
            tags.append(tag)
        }
        return tags.map(alone)
    }

    /// Reads the tag whose two opening braces are at this position.
    private func tag(at start: Int) throws(TemplateSyntaxError) -> TemplateTag {
        let isTriple = start + 2 < bytes.count && bytes[start + 2] == UInt8(ascii: "{")
        let closing = isTriple ? "}}}" : "}}"
        let inside = start + (isTriple ? 3 : 2)
        guard let end = position(of: Array(closing.utf8), from: inside) else {
            throw syntaxError("this tag has no '\(closing)'", at: start)
        }
        let range = start..<(end + closing.utf8.count)
        let content = Self.trimmed(bytes[inside..<end])
        if isTriple { return try named(.variable(isRaw: true), content, range) }
        switch content.first {
        case UInt8(ascii: "!"): return TemplateTag(kind: .comment, name: "", range: range, start: start)
        case UInt8(ascii: "#"): return try named(.section(isInverted: false), content.dropFirst(), range)
        case UInt8(ascii: "^"): return try named(.section(isInverted: true), content.dropFirst(), range)
        case UInt8(ascii: "/"): return try named(.end, content.dropFirst(), range)
        case UInt8(ascii: "&"): return try named(.variable(isRaw: true), content.dropFirst(), range)
        case UInt8(ascii: ">"), UInt8(ascii: "<"), UInt8(ascii: "$"):
            throw syntaxError("a text cannot include another one ('\(Self.shown(content))')", at: start)
        case UInt8(ascii: "="):
            throw syntaxError("the delimiters of tags cannot be changed ('\(Self.shown(content))')", at: start)
        default: return try named(.variable(isRaw: false), content, range)
        }
    }

    private func named(
        _ kind: TemplateTag.Kind, _ content: ArraySlice<UInt8>, _ range: Range<Int>
    ) throws(TemplateSyntaxError) -> TemplateTag {
        let name = String(decoding: Self.trimmed(content), as: UTF8.self)
        guard !name.isEmpty else { throw syntaxError("this tag has no name", at: range.lowerBound) }
        // It searches scalars: a combining mark after a brace would hide it from a search for characters.
        guard !name.unicodeScalars.contains(where: { "{}".unicodeScalars.contains($0) || Self.isNewline($0) }) else {
            throw syntaxError("'\(Self.shown(content))' is not a name", at: range.lowerBound)
        }
        return TemplateTag(kind: kind, name: name, range: range, start: range.lowerBound)
    }

    /// The tag with the range of its line, if it renders nothing itself and is alone in its line.
    private func alone(_ tag: TemplateTag) -> TemplateTag {
        if case .variable = tag.kind { return tag }
        var start = tag.range.lowerBound
        while start > 0, Self.isBlank(bytes[start - 1]) { start -= 1 }
        guard start == 0 || bytes[start - 1] == Self.lineFeed else { return tag }
        var end = tag.range.upperBound
        while end < bytes.count, Self.isBlank(bytes[end]) { end += 1 }
        if end < bytes.count, bytes[end] == UInt8(ascii: "\r") { end += 1 }
        guard end == bytes.count || bytes[end] == Self.lineFeed else { return tag }
        var tag = tag
        tag.range = start..<min(end + 1, bytes.count)
        return tag
    }

    func syntaxError(_ what: String, at index: Int) -> TemplateSyntaxError {
        let before = bytes.prefix(index)
        let line = before.lastIndex(of: Self.lineFeed).map { $0 + 1 } ?? 0
        return TemplateSyntaxError(
            line: before.count { $0 == Self.lineFeed } + 1,
            column: String(decoding: before[line...], as: UTF8.self).count + 1, what: what
        )
    }

    private func position(of pattern: [UInt8], from start: Int) -> Int? {
        guard start + pattern.count <= bytes.count else { return nil }
        return (start...(bytes.count - pattern.count)).first { index in
            pattern.indices.allSatisfy { bytes[index + $0] == pattern[$0] }
        }
    }

    private static func trimmed(_ content: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { isBlank($0) || $0 == lineFeed || $0 == UInt8(ascii: "\r") }
        var content = content.drop(while: isSpace)
        while let last = content.last, isSpace(last) { content.removeLast() }
        return content
    }

    private static func shown(_ content: ArraySlice<UInt8>) -> String {
        String(String(decoding: content, as: UTF8.self).prefix(32))
    }

    private static func isNewline(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}

/// Why a text is not a valid template, and where. Lines and columns count from 1, columns in characters.
struct TemplateSyntaxError: Error, Hashable, Sendable {
    let line: Int
    let column: Int
    let what: String

    var error: ValueError {
        ValueError(code: "invalidTemplate", message: "At line \(line), column \(column): \(what).")
    }
}
