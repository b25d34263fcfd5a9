/// Numbers in few bytes: seven bits in each, the lowest first, the last byte without its highest bit.
struct PackedNumbers: Sendable {
    private(set) var bytes: [UInt8] = []

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    mutating func append(raw: [UInt8]) { bytes += raw }

    /// A negative number counts as 0.
    mutating func append(_ number: Int) { append(UInt64(max(number, 0))) }

    mutating func append(_ number: UInt64) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads them one after the other.
    struct Reader: Sendable {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) { rest = bytes[...] }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func skip(_ count: Int) { rest = rest.dropFirst(count) }

        /// Nil where none ends.
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

        /// Nil for one that is too large, too.
        mutating func small() -> Int? { number().flatMap { Int(exactly: $0) } }
    }
}
