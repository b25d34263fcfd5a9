/// Eight bytes of a text, examined together: most of a long text needs no closer examination.
package struct EightBytes {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highest: UInt64 = 0x8080_8080_8080_8080

    /// The bytes as a number; the first byte is the lowest.
    private let bits: UInt64

    /// Nil when fewer than eight bytes are left.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) {
        guard bytes.count - index >= 8 else { return nil }
        let raw = UnsafeRawBufferPointer(bytes)
        bits = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// The number of bytes before the first one that is a backslash or not ASCII.
    var unescapedASCII: Int {
        (bits & Self.highest | marks(of: UInt8(ascii: "\\"))).trailingZeroBitCount / 8
    }

    /// The number of bytes before the first one that is a quote, a backslash, a control character or not ASCII.
    var plainJSONText: Int {
        let controls = (bits &- 0x20 &* Self.ones) & ~bits & Self.highest
        let special = controls | marks(of: UInt8(ascii: "\"")) | marks(of: UInt8(ascii: "\\"))
        return (bits & Self.highest | special).trailingZeroBitCount / 8
    }

    /// Whether Foundation escapes one of the bytes: a control character, a quote, a backslash or a slash.
    package var isEscapedInJSON: Bool {
        let controls = (bits &- 0x20 &* Self.ones) & ~bits & Self.highest
        let signs = marks(of: UInt8(ascii: "\"")) | marks(of: UInt8(ascii: "\\")) | marks(of: UInt8(ascii: "/"))
        return controls | signs != 0
    }

    /// Sets the highest bit of the first byte that equals this one. Later bytes may be marked wrongly, by the borrow of
    /// the subtraction; earlier ones never are.
    private func marks(of byte: UInt8) -> UInt64 {
        let rest = bits ^ (UInt64(byte) &* Self.ones)
        return (rest &- Self.ones) & ~rest & Self.highest
    }
}
