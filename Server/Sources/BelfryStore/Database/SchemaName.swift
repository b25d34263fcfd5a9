/// A name of a table or column of the schema, as a database lists it.
///
/// A valid name has only lower-case letters, digits and underscores, so in every dialect it can be nothing but a name
/// (SEC-7).
package struct SchemaName: Hashable, Sendable {
    /// The greatest length in bytes: PostgreSQL cuts off longer names.
    static let maximumLength = 63

    package let text: String

    /// Nil for a text that is not a valid name.
    package init?(_ text: String) {
        guard let first = text.utf8.first, text.utf8.count <= Self.maximumLength, !Self.isDigit(first),
            text.utf8.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) })
        else { return nil }
        self.text = text
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension SchemaName: Comparable, CustomStringConvertible {
    package var description: String { text }

    package static func < (left: SchemaName, right: SchemaName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
