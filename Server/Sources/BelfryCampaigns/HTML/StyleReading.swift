/// Reads a style sheet or a `style` attribute byte by byte and finds what loads or runs something (CSS Syntax, 4.3).
///
/// It remembers the last letters, in lower case and with escapes resolved. It ignores blanks, so it may report
/// something that is no address, but misses none.
struct StyleReading: Hashable {
    enum Violation: Hashable {
        /// Code, which at least older browsers run.
        case code(String)
        /// An address with this scheme.
        case scheme(String)
    }

    private static let length = 32
    /// The beginnings of addresses. An address may also be quoted, in a list of images, or follow a comment.
    private static let openings = ["url(", "\"", "'"].map { Array($0.utf8) }
    private static let code = ["expression(", "behavior:url(", "-moz-binding:"].map { Array($0.utf8) }
    private static let importRule = Array("@import".utf8)

    private var references: CharacterReferences
    private var last: [UInt8] = []
    private var escape: Escape?
    /// After `@import`, up to the semicolon: an address here loads another style sheet.
    private var isImport = false
    /// Whether a comment may have begun since then. A semicolon in it ends nothing. Its end is not trusted either,
    /// because what looks like a comment may be part of a string.
    private var mayHideEnd = false
    /// The previous byte, unchanged.
    private var former: UInt8 = 0

    /// An escape that has begun with a backslash.
    private struct Escape: Hashable {
        var value: UInt32 = 0
        var digits = 0
    }

    /// - Parameter isText: whether it is an element's text rather than an attribute's value.
    init(isText: Bool = false) {
        references = CharacterReferences(isText: isText)
    }

    /// The violation that is known with this byte.
    mutating func read(_ byte: UInt8) -> Violation? {
        if references.isPlain(byte) { return unescape(byte) }
        var decoded: [UInt8] = []
        references.read(byte, into: &decoded)
        var found: Violation?
        for byte in decoded { found = unescape(byte) ?? found }
        return found
    }

    private mutating func unescape(_ byte: UInt8) -> Violation? {
        if isImport, former == HTMLByte.slash, byte == UInt8(ascii: "*") { mayHideEnd = true }
        former = byte
        guard let open = escape else {
            if byte != UInt8(ascii: "\\") { return take(byte) }
            escape = Escape()
            return nil
        }
        if let digit = HTMLByte.hexValue(byte), open.digits < 6 {
            escape = Escape(value: open.value * 16 + digit, digits: open.digits + 1)
            return nil
        }
        escape = nil
        // A backslash removes the special meaning of the next character; letters have none.
        guard open.digits > 0 else { return take(byte) }
        let found = take(open.value < 0x80 ? UInt8(open.value) : CharacterReferences.other)
        // One blank ends the digits; it is ignored like all others.
        return unescape(byte) ?? found
    }

    private mutating func take(_ byte: UInt8) -> Violation? {
        guard byte > 0x20 else { return nil }
        last.append(HTMLByte.lowered(byte))
        if last.count > Self.length { last.removeFirst() }
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: ":"): return violation(behind: byte)
        case UInt8(ascii: ";"): if !mayHideEnd { isImport = false }
        case UInt8(ascii: "t"), UInt8(ascii: "T"): if ends(with: Self.importRule) { isImport = true }
        default: break
        }
        return nil
    }

    private func violation(behind byte: UInt8) -> Violation? {
        if let code = Self.code.first(where: ends) { return .code(String(decoding: code, as: UTF8.self)) }
        guard byte == UInt8(ascii: ":") else { return nil }
        let front = last.dropLast()
        let isPart: (UInt8) -> Bool = { HTMLByte.isLetter($0) || HTMLByte.isDigit($0) || "+-.".utf8.contains($0) }
        let scheme = front.suffix(front.reversed().prefix(while: isPart).count)
        let name = String(decoding: scheme, as: UTF8.self)
        // In an import rule, everything that looks like an address counts.
        if isImport { return .scheme(name) }
        // Images and fonts may be embedded in the sheet.
        guard name != "data" else { return nil }
        let before = front.dropLast(scheme.count)
        let isAddress = Self.openings.contains { before.suffix($0.count).elementsEqual($0) }
        return isAddress ? .scheme(name) : nil
    }

    private func ends(with pattern: [UInt8]) -> Bool { last.suffix(pattern.count).elementsEqual(pattern) }
}
