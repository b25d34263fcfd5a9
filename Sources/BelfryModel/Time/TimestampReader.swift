/// Reads the parts of an RFC 3339 text from its beginning; each part is nil or false when it does not match.
struct TimestampReader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number(digits: Int) -> Int64? {
        let front = rest.prefix(digits)
        guard front.count == digits, front.allSatisfy(Self.isDigit) else { return nil }
        rest = rest.dropFirst(digits)
        return front.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    mutating func take(_ allowed: Unicode.Scalar...) -> Bool {
        guard let first = rest.first, allowed.contains(Unicode.Scalar(first)) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// The fraction of the second in milliseconds; 0 when there is none.
    mutating func fraction() -> Double? {
        guard take(".") else { return 0 }
        let digits = rest.prefix { Self.isDigit($0) }
        guard (1...9).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        let scale = digits.reduce(Int64(1)) { scale, _ in scale * 10 }
        return Double(number * 1000) / Double(scale)
    }

    /// The zone in seconds east of UTC: `Z`, `+01:00` or `+0100`.
    mutating func zone() -> Int64? {
        if take("Z", "z") { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard take("+", "-"), let hours = number(digits: 2), hours < 24 else { return nil }
        _ = take(":")
        guard let minutes = number(digits: 2), minutes < 60 else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
