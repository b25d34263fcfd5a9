/// Addresses as texts on the wire: completely percent-encoded, as by ECMAScript's `encodeURIComponent` (MC-8).
public enum WireURL {
    /// The address with all characters percent-encoded but letters, digits and `-_.!~*'()`.
    public static func encoded(_ url: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(url.utf8.count + 32)
        for byte in url.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                let (high, low) = byte.hexDigits(uppercase: true)
                bytes += [UInt8(ascii: "%"), high, low]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The decoded address; nil for texts that no encoder writes: a `%` without two digits, or bytes that are not
    /// UTF-8.
    public static func decoded(_ text: String) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst(), high.isHexDigit, let low = rest.popFirst(), low.isHexDigit else {
                return nil
            }
            bytes.append(high.hexDigitValue << 4 | low.hexDigitValue)
        }
        // Invalid UTF-8 is repaired, and so results in other bytes. Foundation's decoding would drop a byte order mark.
        let address = String(decoding: bytes, as: UTF8.self)
        return address.utf8.elementsEqual(bytes) ? address : nil
    }

    /// Whether the character is not encoded: letters, digits and `-_.!~*'()` (ECMA-262 §19.2.6.4).
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "-_.!~*'()".utf8.contains(byte)
        }
    }
}
