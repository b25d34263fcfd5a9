/// The escapes of JSON strings (RFC 8259 §7).
enum JSONEscapes {
    /// The length in bytes of the escape whose backslash is at `index`; nil if it is invalid.
    static func length(at index: Int, in bytes: [UInt8]) -> Int? {
        guard index + 1 < bytes.count else { return nil }
        switch bytes[index + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return 2
        case UInt8(ascii: "u"):
            guard index + 6 <= bytes.count, codeUnit(bytes[(index + 2)..<(index + 6)]) != nil else { return nil }
            return 6
        default:
            return nil
        }
    }

    /// The text of a string whose escapes were checked; nil if a surrogate is unpaired.
    static func resolved(_ content: ArraySlice<UInt8>) -> String? {
        var text: [UInt8] = []
        text.reserveCapacity(content.count)
        var rest = content
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            guard let kind = rest.popFirst() else { return nil }
            if kind == UInt8(ascii: "u") {
                guard let scalar = scalar(&rest) else { return nil }
                text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            } else {
                text.append(single(kind))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func single(_ kind: UInt8) -> UInt8 {
        switch kind {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0c
        case UInt8(ascii: "n"): 0x0a
        case UInt8(ascii: "r"): 0x0d
        case UInt8(ascii: "t"): 0x09
        default: kind
        }
    }

    /// The character that `\uXXXX`, or a surrogate pair, means; `rest` begins at the first digit.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let first = codeUnit(rest.prefix(4)) else { return nil }
        rest.removeFirst(4)
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
        guard rest.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]),
            let second = codeUnit(rest.dropFirst(2).prefix(4)), UTF16.isTrailSurrogate(second)
        else { return nil }
        rest.removeFirst(6)
        return Unicode.Scalar(0x10000 + (UInt32(first) - 0xd800) << 10 + (UInt32(second) - 0xdc00))
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt16? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(digit - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(digit - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(digit - UInt8(ascii: "A")) + 10
        default: nil
        }
    }

    private static func codeUnit(_ digits: ArraySlice<UInt8>) -> UInt16? {
        guard digits.count == 4 else { return nil }
        var unit: UInt16 = 0
        for digit in digits {
            guard let value = hexadecimal(digit) else { return nil }
            unit = unit << 4 | value
        }
        return unit
    }
}
