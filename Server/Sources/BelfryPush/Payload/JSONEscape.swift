/// Writes text into JSON that is composed of bytes.
package enum JSONEscape {
    /// Appends the content of a JSON string, without its quotes (RFC 8259 §7).
    ///
    /// - Parameter times: 2 for a string inside a JSON text that is itself a string; 0 for the unescaped text.
    package static func append(_ text: String, times: Int = 1, to bytes: inout [UInt8]) {
        var text = text
        // Read in place: a campaign writes several of these for each recipient.
        text.withUTF8 { utf8 in
            guard times > 0, utf8.contains(where: needsEscape) else { return bytes.append(contentsOf: utf8) }
            var escaped = Array(utf8)
            for _ in 0..<times { escaped = escape(escaped) }
            bytes += escaped
        }
    }

    /// The bytes that ``append(_:times:to:)`` appends.
    static func size(_ text: String, times: Int) -> Int {
        guard times > 0, text.utf8.contains(where: needsEscape) else { return text.utf8.count }
        var bytes: [UInt8] = []
        append(text, times: times, to: &bytes)
        return bytes.count
    }

    private static func escape(_ text: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 2)
        for byte in text {
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
        return bytes
    }

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == quote || byte == backslash
    }
}
