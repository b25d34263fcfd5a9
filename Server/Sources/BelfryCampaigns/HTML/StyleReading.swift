/// Reads a style sheet or a `style` attribute byte by byte, for what loads or runs something (CSS Syntax, 4.3).
///
/// It sees the last letters, in lower case and with escapes resolved. Blanks are left out, so it may take for an address
/// what is none, and misses none.
struct StyleReading: Hashable {
    enum Violation: Hashable {
        /// What runs code, or ran it in older browsers.
        case code(String)
        /// An address with this scheme.
        case scheme(String)
    }

    private static let length = 32
    /// In front of an address, which may also stand in quotes: in a list of images, and behind comments.
    private static let openings = ["url(", "\"", "'"].map { Array($0.utf8) }
    private static let code = ["expression(", "behavior:url(", "-moz-binding:"].map { Array($0.utf8) }
    private static let importRule = Array("@import".utf8)

    private var references: CharacterReferences
    private var last: [UInt8] = []
    private var escape: Escape?
    /// Behind `@import`, up to the semicolon: an address there brings a style sheet of its own.
    private var isImport = false
    /// Whether a comment may have begun since then: a semicolon in it ends nothing, and no end of it is believed, for what
    /// looks like a comment may be part of a string.
    private var mayHideEnd = false
    /// The byte before, as it is written.
    private var former: UInt8 = 0

    /// What stands behind a backslash.
    private struct Escape: Hashable {
        var value: UInt32 = 0
        var digits = 0
    }

    /// - Parameter isText: whether it is an element's text, rather than the value of an attribute.
    init(isText: Bool = false) {
        references = CharacterReferences(isText: isText)
    }

    /// What is known to be wrong with this byte.
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
        // A backslash takes the meaning of what follows it, and no letter has one.
        guard open.digits > 0 else { return take(byte) }
        let found = take(open.value < 0x80 ? UInt8(open.value) : CharacterReferences.other)
        // One blank ends the digits; it is left out like all others.
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
        // In the rule that brings another sheet, whatever looks like an address counts.
        if isImport { return .scheme(name) }
        // Pictures and fonts may be in the sheet itself.
        guard name != "data" else { return nil }
        let before = front.dropLast(scheme.count)
        let isAddress = Self.openings.contains { before.suffix($0.count).elementsEqual($0) }
        return isAddress ? .scheme(name) : nil
    }

    private func ends(with pattern: [UInt8]) -> Bool { last.suffix(pattern.count).elementsEqual(pattern) }
}
