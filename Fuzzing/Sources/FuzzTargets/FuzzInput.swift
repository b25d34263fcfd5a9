/// The fields of one input. A record separator (U+001E) ends a field, so that a corpus can be read and written by hand.
struct FuzzInput {
    private static let separator: UInt8 = 0x1E

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Which of so many: the digit `0` is the first. The first one at the end of the input.
    mutating func choice(_ count: Int) -> Int {
        Int((rest.popFirst() ?? UInt8(ascii: "0")) &- UInt8(ascii: "0")) % count
    }

    /// The bytes up to the next separator.
    mutating func field() -> [UInt8] {
        let field = rest.prefix { $0 != Self.separator }
        rest = rest.dropFirst(field.count + 1)
        return Array(field)
    }

    /// The input as text; bytes that are not UTF-8 become U+FFFD.
    mutating func text() -> String {
        String(decoding: field(), as: UTF8.self)
    }

    /// All that is left.
    mutating func bytes() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}
