/// Writes text into JSON that is spliced together from bytes.
enum JSONEscape {
    /// Appends what stands between the quotes of a JSON string (RFC 8259 §7).
    static func append(_ text: String, to bytes: inout [UInt8]) {
        guard text.utf8.contains(where: needsEscape) else {
            bytes.append(contentsOf: text.utf8)
            return
        }
        for byte in text.utf8 {
            guard needsEscape(byte) else {
                bytes.append(byte)
                continue
            }
            bytes.append(backslash)
            if byte < 0x20 {
                let (high, low) = byte.hexDigits
                bytes.append(contentsOf: [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0"), high, low])
            } else {
                bytes.append(byte)
            }
        }
    }

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == quote || byte == backslash
    }
}
