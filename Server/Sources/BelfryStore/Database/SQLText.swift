/// SQL that the program itself has written.
///
/// It consists of literals, integers, cases of our own enumerations, names of the schema, and other such texts. A
/// `String` cannot be inserted, so text from outside can reach a statement only as an argument (SEC-7).
package struct SQLText: Hashable, Sendable {
    /// The SQL for the engine.
    package let statement: String

    private init(verbatim statement: String) {
        self.statement = statement
    }
}

extension SQLText: ExpressibleByStringInterpolation {
    /// Only the compiler calls it, for a literal; `Scripts/check-statements` rejects any other call.
    package init(stringLiteral value: String) {
        self.init(verbatim: value)
    }

    package init(stringInterpolation: Interpolation) {
        self.init(verbatim: stringInterpolation.statement)
    }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var statement = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            statement.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        package mutating func appendLiteral(_ literal: String) {
            statement += literal
        }

        package mutating func appendInterpolation(_ part: SQLText) {
            statement += part.statement
        }

        package mutating func appendInterpolation(_ number: some BinaryInteger) {
            statement += String(number)
        }

        /// A text literal in SQL: `\(word: MessageState.read)` is `'read'`.
        package mutating func appendInterpolation(word: some CaseIterable & RawRepresentable<String>) {
            // The raw value of a case is a literal of ours; other values are left out.
            guard word.rawValue.utf8.allSatisfy(SQLText.isOfWord) else { return }
            statement += "'\(word.rawValue)'"
        }

        /// A table or a column of the schema, quoted, since `count` for example is also an SQL word.
        package mutating func appendInterpolation(_ name: SchemaName) {
            statement += "\"\(name.text)\""
        }
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension SQLText {
    static func + (left: SQLText, right: SQLText) -> SQLText { "\(left)\(right)" }
    static func += (left: inout SQLText, right: SQLText) { left = left + right }

    /// A text repeated with a separator: `?, ?, ?`.
    package static func repeated(_ part: SQLText, _ count: Int, by separator: SQLText = "") -> SQLText {
        repeatElement(part, count: count).joined(by: separator)
    }

    /// The marks of so many arguments: `?, ?`.
    package static func marks(_ count: Int) -> SQLText { repeated("?", count, by: ", ") }
}

extension Sequence<SQLText> {
    package func joined(by separator: SQLText) -> SQLText {
        var interpolation = SQLText.Interpolation(literalCapacity: 256, interpolationCount: 0)
        for (index, part) in enumerated() {
            if index > 0 { interpolation.appendInterpolation(separator) }
            interpolation.appendInterpolation(part)
        }
        return SQLText(stringInterpolation: interpolation)
    }
}
