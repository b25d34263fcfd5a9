/// Which texts read as numbers (SEC-6): a decimal number with sign, fraction and exponent as one likes. Swift alone would
/// also read `nan`, `inf` and `0x10`.
public enum DecimalText {
    /// Characters of the whole, and digits of its exponent: what every engine can hold.
    public static let maximumLength = 64
    public static let maximumExponentDigits = 2

    public static func number(_ text: String) -> Double? {
        guard text.utf8.count <= maximumLength, text.utf8.allSatisfy(isAllowed) else { return nil }
        if let exponent = text.utf8.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            let digits = text.utf8[exponent...].count(where: isDigit)
            guard digits <= maximumExponentDigits else { return nil }
        }
        return Double(text)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isDigit(byte) || ".eE+-".utf8.contains(byte)
    }
}
