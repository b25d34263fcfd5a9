/// Decodes base64 (RFC 4648) from outside (SEC-6).
public enum Base64Text {
    /// The maximum length in letters; a longer text is not decoded.
    public static let maximumLength = 1_048_576

    /// The letters for 62 and 63.
    public enum Alphabet: Hashable, Sendable {
        /// `+` and `/` (§4), as in PEM.
        case standard
        /// `-` and `_` (§5), as in tokens.
        case url
    }

    /// The decoded bytes; nil for a letter outside of the alphabet, for white space, and for padding that does not
    /// complete the last four letters. Padding is optional.
    public static func bytes(_ text: some StringProtocol, alphabet: Alphabet) -> [UInt8]? {
        let count = text.utf8.prefix(maximumLength + 1).count
        guard count <= maximumLength else { return nil }
        var letters = Array(text.utf8)[...]
        var padding = 0
        while padding < 2, letters.last == UInt8(ascii: "=") {
            letters = letters.dropLast()
            padding += 1
        }
        let rest = (count - padding) % 4
        // A single last letter is not a byte.
        guard rest != 1, padding == 0 || padding + rest == 4 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * 3 / 4)
        var bits: UInt32 = 0
        var pending = 0
        for letter in letters {
            guard let value = value(of: letter, alphabet) else { return nil }
            bits = bits << 6 | UInt32(value)
            pending += 6
            guard pending >= 8 else { continue }
            pending -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(pending)))
        }
        return bytes
    }

    private static func value(of letter: UInt8, _ alphabet: Alphabet) -> UInt8? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+") where alphabet == .standard, UInt8(ascii: "-") where alphabet == .url: 62
        case UInt8(ascii: "/") where alphabet == .standard, UInt8(ascii: "_") where alphabet == .url: 63
        default: nil
        }
    }
}
