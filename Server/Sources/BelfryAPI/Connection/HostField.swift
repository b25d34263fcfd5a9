/// The value of the header `Host`: a name or an address, and perhaps a port (RFC 9112 §3.2, RFC 3986 §3.2.2).
enum HostField {
    /// An empty value is valid: the address of the request then has no authority.
    static func isValid(_ text: String) -> Bool {
        // Trailing white space is not part of the value (RFC 9112 §5).
        var rest = text.utf8[...]
        while let last = rest.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { rest.removeLast() }
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")), rest[..<end].dropFirst().allSatisfy(isOfAddress),
                rest[..<end].count > 1
            else { return false }
            rest = rest[rest.index(after: end)...]
        } else {
            rest = rest.drop { isOfName($0) }
        }
        guard let colon = rest.first else { return true }
        return colon == UInt8(ascii: ":") && rest.dropFirst().allSatisfy(isDigit) && rest.count <= 6
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Whether the byte may occur in an IPv6 address, or in one of a later version.
    private static func isOfAddress(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || isOfName(byte)
    }

    /// Whether the byte may occur in a name: unreserved characters, percent-encodings and delimiters within a part.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "%"): true
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("): true
        case UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ";"), UInt8(ascii: "="): true
        default: false
        }
    }
}
