/// Numbers in few bytes: each byte has seven bits, the lowest first; in the last byte the highest bit is 0.
struct PackedNumbers: Sendable {
    private(set) var bytes: [UInt8] = []

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    mutating func append(raw: [UInt8]) { bytes += raw }

    /// Appends a number; a negative one becomes 0.
    mutating func append(_ number: Int) { append(UInt64(max(number, 0))) }

    mutating func append(_ number: UInt64) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads packed numbers one after the other.
    struct Reader: Sendable {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) { rest = bytes[...] }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func skip(_ count: Int) { rest = rest.dropFirst(count) }

        /// The next number; nil if the bytes end within it.
        mutating func number() -> UInt64? {
            var (number, shift) = (UInt64(0), UInt64(0))
            while let byte = rest.popFirst() {
                guard shift < 64 else { return nil }
                number |= UInt64(byte & 0x7F) << shift
                if byte & 0x80 == 0 { return number }
                shift += 7
            }
            return nil
        }

        /// The next number; nil also if it is too large for `Int`.
        mutating func small() -> Int? { number().flatMap { Int(exactly: $0) } }
    }
}
