/// Base64url (RFC 4648 §5), without padding (as in RFC 7515 §2 and RFC 8291).
enum SimulatorBase64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The six bits of one character; nil for any other character.
    static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }

    /// The character for the lowest six bits.
    static func character(_ bits: UInt64) -> UInt8 {
        alphabet[Int(bits & 63)]
    }

    /// Nil if the text has an invalid character, or an invalid length.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        // The remaining bits are less than a byte, and zero in the output of an encoder.
        guard count < 6, bits & ((1 << UInt32(count)) - 1) == 0 else { return nil }
        return bytes
    }

    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var bits: UInt64 = 0
        var count: UInt64 = 0
        for byte in bytes {
            bits = bits << 8 | UInt64(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(character(bits >> count))
            }
        }
        if count > 0 { text.append(character(bits << (6 - count))) }
        return String(decoding: text, as: UTF8.self)
    }
}
