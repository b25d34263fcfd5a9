extension JSONScanner {
    /// The text of a scanned string with its escapes resolved (RFC 8259 §7). Half a surrogate pair becomes U+FFFD.
    func resolved(_ range: Range<Int>) -> String {
        guard bytes[range].contains(UInt8(ascii: "\\")) else { return String(decoding: bytes[range], as: UTF8.self) }
        var units: [UInt16] = []
        var text = ""
        var rest = bytes[range]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                let end = rest.firstIndex(of: UInt8(ascii: "\\")) ?? rest.endIndex
                Self.flush(&units, to: &text)
                text += String(decoding: [byte] + rest[..<end], as: UTF8.self)
                rest = rest[end...]
                continue
            }
            units.append(Self.unit(escape, &rest))
        }
        Self.flush(&units, to: &text)
        return text
    }

    /// Consecutive escapes may be the halves of one character.
    private static func flush(_ units: inout [UInt16], to text: inout String) {
        text += String(decoding: units, as: UTF16.self)
        units = []
    }

    private static func unit(_ escape: UInt8, _ rest: inout ArraySlice<UInt8>) -> UInt16 {
        switch escape {
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"):
            let digits = rest.prefix(4)
            rest = rest.dropFirst(4)
            return digits.reduce(0) { $0 << 4 | UInt16(Hexadecimal.value(of: $1) ?? 0) }
        default: return UInt16(escape)
        }
    }
}
