/// Decodes the character references of an attribute's value byte by byte (HTML standard, 13.2.5.72), as far as they
/// matter for addresses and style sheets: those of ASCII characters.
struct CharacterReferences: Hashable {
    private enum Stage: Hashable {
        case none
        /// After `&` and these letters and digits.
        case name([UInt8])
        /// After `&#`.
        case number
        /// After `&#x`.
        case hexNumber
        case digits(UInt32, isHex: Bool)
    }

    /// No name of an ASCII character is longer.
    private static let maximumLength = 24
    /// Stands for any character beyond ASCII; it does not matter which.
    static let other: UInt8 = 0xFF

    private var stage = Stage.none
    /// Whether the references are in an element's text, where some names need no semicolon.
    private let isText: Bool

    init(isText: Bool = false) {
        self.isText = isText
    }

    /// Whether this byte is literal, not a part of a reference.
    func isPlain(_ byte: UInt8) -> Bool { stage == .none && byte != HTMLByte.ampersand }

    /// Reads a byte and appends the bytes that are certain so far.
    mutating func read(_ byte: UInt8, into text: inout [UInt8]) {
        switch stage {
        case .none:
            if byte == HTMLByte.ampersand { stage = .name([]) } else { text.append(byte) }
        case .name(let name):
            if name.isEmpty, byte == UInt8(ascii: "#") {
                stage = .number
            } else if name.count < Self.maximumLength, HTMLByte.isLetter(byte) || HTMLByte.isDigit(byte) {
                stage = .name(name + [byte])
            } else {
                finish(before: byte, &text)
            }
        case .number:
            if byte | 0x20 == UInt8(ascii: "x") { stage = .hexNumber } else { readDigit(byte, 0, isHex: false, &text) }
        case .hexNumber: readDigit(byte, 0, isHex: true, &text)
        case .digits(let value, let isHex): readDigit(byte, value, isHex: isHex, &text)
        }
    }

    /// Appends an unfinished reference at the end of the value.
    mutating func end(into text: inout [UInt8]) {
        handOn(before: nil, &text)
    }

    private mutating func readDigit(_ byte: UInt8, _ value: UInt32, isHex: Bool, _ text: inout [UInt8]) {
        guard let digit = HTMLByte.hexValue(byte), isHex || digit < 10 else { return finish(before: byte, &text) }
        // A number that is too large stays too large, however many digits follow.
        stage = .digits(min(value * (isHex ? 16 : 10) + digit, 0xFFFF), isHex: isHex)
    }

    private mutating func finish(before byte: UInt8, _ text: inout [UInt8]) {
        handOn(before: byte, &text)
        if byte != UInt8(ascii: ";") { read(byte, into: &text) }
    }

    /// - Parameter next: the next byte. Nil at the end of the value.
    private mutating func handOn(before next: UInt8?, _ text: inout [UInt8]) {
        defer { stage = .none }
        let isEnded = next == UInt8(ascii: ";")
        let written: [UInt8]
        switch stage {
        case .none: return
        case .digits(let value, _): return text.append((1...0x7F).contains(value) ? UInt8(value) : Self.other)
        case .name(let name):
            if isEnded, let byte = Self.named[String(decoding: name, as: UTF8.self)] { return text.append(byte) }
            if let (byte, rest) = endless(name, before: next) {
                text.append(byte)
                text += rest
                if isEnded { text.append(UInt8(ascii: ";")) }
                return
            }
            written = name
        case .number: written = Array("#".utf8)
        case .hexNumber: written = Array("#x".utf8)
        }
        text += [HTMLByte.ampersand] + written
        if isEnded { text.append(UInt8(ascii: ";")) }
    }

    /// The character of a name without a semicolon, and the letters after it. In an attribute no letter and no `=` may
    /// follow, because addresses contain such parts.
    private func endless(_ name: [UInt8], before next: UInt8?) -> (UInt8, ArraySlice<UInt8>)? {
        guard let (front, byte) = Self.endless.first(where: { name.starts(with: $0.name) }) else { return nil }
        let rest = name.dropFirst(front.count)
        return isText || (rest.isEmpty && next != HTMLByte.equals) ? (byte, rest) : nil
    }

    /// Names of ASCII characters that need no semicolon, for historical reasons.
    private static let endless: [(name: [UInt8], byte: UInt8)] = [
        ("quot", 0x22), ("QUOT", 0x22), ("amp", 0x26), ("AMP", 0x26), ("lt", 0x3C), ("LT", 0x3C), ("gt", 0x3E),
        ("GT", 0x3E),
    ].map { (Array($0.0.utf8), $0.1) }

    private static let named: [String: UInt8] = [
        "Tab": 0x09, "NewLine": 0x0A, "excl": 0x21, "quot": 0x22, "QUOT": 0x22, "num": 0x23, "dollar": 0x24,
        "percnt": 0x25, "amp": 0x26, "AMP": 0x26, "apos": 0x27, "lpar": 0x28, "rpar": 0x29, "ast": 0x2A,
        "midast": 0x2A, "plus": 0x2B, "comma": 0x2C, "period": 0x2E, "sol": 0x2F, "colon": 0x3A, "semi": 0x3B,
        "lt": 0x3C, "LT": 0x3C, "equals": 0x3D, "gt": 0x3E, "GT": 0x3E, "quest": 0x3F, "commat": 0x40, "lsqb": 0x5B,
        "lbrack": 0x5B, "bsol": 0x5C, "rsqb": 0x5D, "rbrack": 0x5D, "Hat": 0x5E, "lowbar": 0x5F, "UnderBar": 0x5F,
        "grave": 0x60, "DiacriticalGrave": 0x60, "lcub": 0x7B, "lbrace": 0x7B, "verbar": 0x7C, "vert": 0x7C,
        "VerticalLine": 0x7C, "rcub": 0x7D, "rbrace": 0x7D,
    ]
}
