/// A part of a template, as it was written.
indirect enum TemplateNode: Hashable, Sendable {
    /// - Parameter start: the position of its first byte.
    case text(String, start: Int)
    case variable(TemplateTag)
    /// A section, shown when the recipient has a value; if inverted, when not.
    case section(TemplateTag, isInverted: Bool, [TemplateNode])
}

/// Parses a template's tags into a tree. Throws for sections that do not nest.
struct TemplateParser {
    static let maximumDepth = 16

    private struct Level {
        let tag: TemplateTag
        let isInverted: Bool
        var nodes: [TemplateNode]
    }

    private let reader: TemplateTagReader
    private let maximumBytes: Int
    private var levels: [Level] = []
    private var nodes: [TemplateNode] = []

    private init(_ text: String, maximumBytes: Int) {
        reader = TemplateTagReader(text)
        self.maximumBytes = maximumBytes
    }

    /// - Parameter maximumBytes: the most bytes of a text with tags.
    static func parse(
        _ text: String, maximumBytes: Int = TemplateTagReader.maximumBytes
    ) throws(TemplateSyntaxError) -> [TemplateNode] {
        guard TemplateTagReader.mayHoldTags(text) else { return text.isEmpty ? [] : [.text(text, start: 0)] }
        var parser = TemplateParser(text, maximumBytes: maximumBytes)
        return try parser.parse()
    }

    private mutating func parse() throws(TemplateSyntaxError) -> [TemplateNode] {
        var index = 0
        for tag in try reader.tags(maximumBytes: maximumBytes) {
            addText(index..<tag.range.lowerBound)
            index = tag.range.upperBound
            try add(tag)
        }
        addText(index..<reader.bytes.count)
        if let open = levels.last {
            throw reader.syntaxError(
                "'\(open.tag.name.prefix(32))' is opened here, but never closed", at: open.tag.start
            )
        }
        return nodes
    }

    private mutating func add(_ tag: TemplateTag) throws(TemplateSyntaxError) {
        switch tag.kind {
        case .comment: break
        case .variable: nodes.append(.variable(tag))
        case .section(let isInverted):
            guard levels.count < Self.maximumDepth else {
                throw reader.syntaxError("sections are at most \(Self.maximumDepth) levels deep", at: tag.start)
            }
            levels.append(Level(tag: tag, isInverted: isInverted, nodes: nodes))
            nodes = []
        case .end:
            guard let level = levels.popLast() else {
                throw reader.syntaxError("'\(tag.name.prefix(32))' is closed here, but was never opened", at: tag.start)
            }
            guard level.tag.name == tag.name else {
                throw reader.syntaxError(
                    "'\(tag.name.prefix(32))' is closed here, but '\(level.tag.name.prefix(32))' was opened last",
                    at: tag.start
                )
            }
            nodes = level.nodes + [.section(level.tag, isInverted: level.isInverted, nodes)]
        }
    }

    private mutating func addText(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        nodes.append(.text(String(decoding: reader.bytes[range], as: UTF8.self), start: range.lowerBound))
    }
}
