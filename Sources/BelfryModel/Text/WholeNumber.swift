/// Reads whole decimal numbers from outside texts (SEC-6): ASCII digits with an optional `-` before them.
public enum WholeNumber {
    /// The maximum number of digits, including leading zeros. A 64-bit number has no more.
    public static let maximumDigits = 20

    /// Nil for anything else, and for a number outside the type's range.
    @inlinable
    public static func read<Number: FixedWidthInteger>(
        _ text: some StringProtocol, as type: Number.Type = Number.self
    ) -> Number? {
        var digits = text.utf8[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        guard (1...maximumDigits).contains(digits.prefix(maximumDigits + 1).count) else { return nil }
        var number: Number = 0
        for byte in digits {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isBeyond) =
                isNegative
                ? tens.subtractingReportingOverflow(Number(digit)) : tens.addingReportingOverflow(Number(digit))
            guard !isTooLarge, !isBeyond else { return nil }
            number = sum
        }
        return number
    }
}
