/// Isolates the values of a template from the text around them. Otherwise a name with right-to-left letters or
/// direction signs would move the words and numbers beside it (UAX #9). A value that is the whole content of an element
/// is isolated by the style sheet; any other value gets a `bdi` element of its own.
struct TemplateIsolation {
    private enum Token: Equatable {
        case text(isBlank: Bool)
        case opening(String)
        case closing(String)
        /// An element without a closing tag, or a comment.
        case single
        case value(String)
        /// `{{#name}}`, `{{^name}}` or `{{/name}}`.
        case section(String, Section)
        /// A partial, an unescaped value or the like.
        case other
    }

    private enum Section {
        case shown
        /// Shown when the value is missing.
        case inverted
        case end
    }

    private struct Piece {
        let token: Token
        let bytes: ArraySlice<UInt8>
    }

    /// Elements that cannot contain a `bdi`: they contain only text, or are part of a drawing.
    private static let plain: Set<String> = [
        "title", "textarea", "option", "script", "style", "text", "tspan", "progress",
    ]
    /// Elements among ``plain`` whose text is not read together with other text. Their values stay as they are; code
    /// that fills a title isolates names itself (``Swift/String/isolated``).
    private static let apart: Set<String> = ["title", "textarea", "progress"]
    private static let single: Set<String> = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    ]

    private let pieces: [Piece]

    init(_ template: String) {
        var rest = ArraySlice(Array(template.utf8))
        var pieces: [Piece] = []
        while !rest.isEmpty { pieces.append(Self.next(&rest)) }
        self.pieces = pieces
    }

    /// The template with its values isolated.
    var isolated: String {
        var bytes: [UInt8] = []
        forEachPiece { piece, needsElement in
            if needsElement { bytes += Array("<bdi>".utf8) }
            bytes += piece.bytes
            if needsElement { bytes += Array("</bdi>".utf8) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The names of values that are not alone in their element. In a template that was isolated already, these are the
    /// values in elements that cannot contain a `bdi`.
    var exposed: [String] {
        var names: [String] = []
        var open: [String] = []
        for index in pieces.indices {
            Self.follow(pieces[index].token, &open)
            guard case .value(let name) = pieces[index].token, !(open.last.map(Self.apart.contains) ?? false),
                !isAlone(index, name)
            else { continue }
            names.append(name)
        }
        return names
    }

    /// The elements whose whole content is one value.
    var holders: Set<String> {
        var names: Set<String> = []
        var open: [String] = []
        for index in pieces.indices {
            Self.follow(pieces[index].token, &open)
            if case .value(let name) = pieces[index].token, isAlone(index, name), let last = open.last {
                names.insert(last)
            }
        }
        return names
    }

    private func forEachPiece(_ body: (Piece, _ needsElement: Bool) -> Void) {
        var open: [String] = []
        for index in pieces.indices {
            let piece = pieces[index]
            Self.follow(piece.token, &open)
            guard case .value(let name) = piece.token,
                open.last.map({ !Self.plain.contains($0) && $0 != "bdi" }) ?? true
            else {
                body(piece, false)
                continue
            }
            body(piece, !isAlone(index, name))
        }
    }

    private static func follow(_ token: Token, _ open: inout [String]) {
        switch token {
        case .opening(let name): open.append(name)
        case .closing(let name): if let last = open.lastIndex(of: name) { open.removeSubrange(last...) }
        default: break
        }
    }

    /// Whether the value is the whole content of its element.
    private func isAlone(_ index: Int, _ name: String) -> Bool {
        guard let before = neighbour(of: index, name, step: -1), let after = neighbour(of: index, name, step: 1),
            case .opening = before, case .closing = after
        else { return false }
        return true
    }

    /// The next token before or after a value when the value is shown, ignoring blank text.
    private func neighbour(of index: Int, _ name: String, step: Int) -> Token? {
        var at = index + step
        while pieces.indices.contains(at) {
            switch pieces[at].token {
            case .text(isBlank: true): break
            case .section(name, .inverted) where step > 0, .section(name, .end) where step < 0:
                // A section for the missing value is never shown together with the value, so it is skipped.
                guard let other = otherEnd(of: at, name, step: step) else { return pieces[at].token }
                at = other
            case .section(name, _): break
            default: return pieces[at].token
            }
            at += step
        }
        return nil
    }

    /// The other end of an inverted section of this name; nil where there is no such section.
    private func otherEnd(of index: Int, _ name: String, step: Int) -> Int? {
        var at = index + step
        while pieces.indices.contains(at) {
            if case .section(name, let kind) = pieces[at].token { return step > 0 || kind == .inverted ? at : nil }
            at += step
        }
        return nil
    }
}

extension TemplateIsolation {
    private static func next(_ rest: inout ArraySlice<UInt8>) -> Piece {
        let start = rest
        let token: Token
        if rest.starts(with: "{{".utf8) {
            token = mustache(&rest)
        } else if rest.first == UInt8(ascii: "<") {
            token = element(&rest)
        } else {
            let text = rest.prefix { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "{") }
            // A single brace is text.
            rest = text.isEmpty ? rest.dropFirst() : rest.dropFirst(text.count)
            token = .text(isBlank: !text.isEmpty && text.allSatisfy { $0 == 32 || $0 == 10 })
        }
        return Piece(token: token, bytes: start[start.startIndex..<rest.startIndex])
    }

    private static func mustache(_ rest: inout ArraySlice<UInt8>) -> Token {
        let isRaw = rest.starts(with: "{{{".utf8)
        rest = rest.dropFirst(isRaw ? 3 : 2)
        let name = rest.prefix { $0 != UInt8(ascii: "}") }
        rest = rest.dropFirst(name.count + (isRaw ? 3 : 2))
        guard !isRaw, let sign = name.first else { return .other }
        switch sign {
        case UInt8(ascii: "#"), UInt8(ascii: "^"), UInt8(ascii: "/"):
            let kind: Section =
                sign == UInt8(ascii: "#") ? .shown : sign == UInt8(ascii: "^") ? .inverted : .end
            return .section(String(decoding: name.dropFirst(), as: UTF8.self), kind)
        case UInt8(ascii: ">"), UInt8(ascii: "<"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "!"),
            UInt8(ascii: "&"):
            return .other
        default:
            return .value(String(decoding: name, as: UTF8.self))
        }
    }

    /// Reads a tag. Values in its attributes are not part of the page's text.
    private static func element(_ rest: inout ArraySlice<UInt8>) -> Token {
        rest.removeFirst()
        let isClosing = rest.first == UInt8(ascii: "/")
        if isClosing { rest.removeFirst() }
        let name = rest.prefix { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        var isQuoted = false
        var last: UInt8 = 0
        while let byte = rest.first {
            if rest.starts(with: "{{".utf8) {
                _ = mustache(&rest)
                last = 0
                continue
            }
            rest.removeFirst()
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: ">"), !isQuoted { break }
            last = byte
        }
        let word = String(decoding: name, as: UTF8.self)
        if isClosing { return .closing(word) }
        return word.isEmpty || single.contains(word) || last == UInt8(ascii: "/") ? .single : .opening(word)
    }
}
