extension UInt8 {
    /// Whether the byte is an ASCII digit `0-9`, `A-F` or `a-f`.
    public var isHexDigit: Bool {
        self &- UInt8(ascii: "0") < 10 || (self | 0x20) &- UInt8(ascii: "a") < 6
    }

    /// The value of an ASCII digit for which ``isHexDigit`` is true.
    public var hexDigitValue: UInt8 {
        self < 0x3a ? self &- UInt8(ascii: "0") : (self | 0x20) &- UInt8(ascii: "a") &+ 10
    }

    /// The byte's two digits, in upper case as in percent-encoding (RFC 3986 §2.1), or in lower case.
    public func hexDigits(uppercase: Bool) -> (UInt8, UInt8) {
        (Self.hexDigit(self >> 4, uppercase: uppercase), Self.hexDigit(self & 0xf, uppercase: uppercase))
    }

    private static func hexDigit(_ value: UInt8, uppercase: Bool) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : (uppercase ? UInt8(ascii: "A") : UInt8(ascii: "a")) + value - 10
    }
}
