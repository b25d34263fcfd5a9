/// Decides which texts are numbers (SEC-6): a decimal number with an optional sign, fraction and exponent. Swift itself
/// would also accept `nan`, `inf` and `0x10`.
public enum DecimalText {
    /// The maximum length in characters, and the maximum digits of the exponent: within the range of every database
    /// engine.
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
