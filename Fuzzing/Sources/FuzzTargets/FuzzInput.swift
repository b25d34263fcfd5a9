/// The fields of one input. A record separator (U+001E) ends a field, so that a corpus can be read and written by hand.
struct FuzzInput {
    private static let separator: UInt8 = 0x1E

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Reads one byte as a choice among `count` cases; the digit `0` is the first. At the end of the input it returns
    /// the first.
    mutating func choice(_ count: Int) -> Int {
        Int((rest.popFirst() ?? UInt8(ascii: "0")) &- UInt8(ascii: "0")) % count
    }

    /// The bytes up to the next separator.
    mutating func field() -> [UInt8] {
        let field = rest.prefix { $0 != Self.separator }
        rest = rest.dropFirst(field.count + 1)
        return Array(field)
    }

    /// The next field as text; bytes that are not UTF-8 become U+FFFD.
    mutating func text() -> String {
        String(decoding: field(), as: UTF8.self)
    }

    /// The rest of the input.
    mutating func bytes() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}
