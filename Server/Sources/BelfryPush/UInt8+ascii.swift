extension UInt8 {
    package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    package var isASCIIUppercase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }

    package var isASCIILowercase: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }

    package var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIIUppercase || isASCIILowercase }

    package var isASCIIHexDigit: Bool {
        isASCIIDigit || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(self)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
    }

    /// The two digits of the byte in upper case, as percent-encoding writes them (RFC 3986 §2.1).
    var hexDigits: (UInt8, UInt8) {
        (Self.hexAlphabet[Int(self >> 4)], Self.hexAlphabet[Int(self & 0x0f)])
    }

    private static let hexAlphabet = Array("0123456789ABCDEF".utf8)
}
