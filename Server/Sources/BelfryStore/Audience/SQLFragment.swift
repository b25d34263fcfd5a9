/// A piece of SQL with the arguments of its question marks.
///
/// It is written like a text: `"\(column) = \(bind: .text(name))"`. A bound value becomes an argument; the arguments
/// have the order of the pieces.
package struct SQLFragment: Hashable, Sendable {
    package let sql: SQLText
    package let arguments: [SQLValue]

    package init(_ sql: SQLText, _ arguments: [SQLValue] = []) {
        self.sql = sql
        self.arguments = arguments
    }
}

extension SQLFragment: ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) {
        self.init(SQLText(stringLiteral: value))
    }

    package init(stringInterpolation: Interpolation) {
        self.init(SQLText(stringInterpolation: stringInterpolation.sql), stringInterpolation.arguments)
    }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var sql: SQLText.Interpolation
        fileprivate var arguments: [SQLValue] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            sql = SQLText.Interpolation(literalCapacity: literalCapacity, interpolationCount: interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) {
            sql.appendLiteral(literal)
        }

        package mutating func appendInterpolation(_ part: SQLText) {
            sql.appendInterpolation(part)
        }

        package mutating func appendInterpolation(_ number: some BinaryInteger) {
            sql.appendInterpolation(number)
        }

        package mutating func appendInterpolation(_ part: SQLFragment) {
            sql.appendInterpolation(part.sql)
            arguments += part.arguments
        }

        package mutating func appendInterpolation(bind value: SQLValue) {
            sql.appendLiteral("?")
            arguments.append(value)
        }
    }
}

extension SQLFragment {
    static func joined(_ parts: [SQLFragment], by word: SQLText) -> SQLFragment {
        SQLFragment(parts.map { "(\($0.sql))" }.joined(by: " \(word) "), parts.flatMap(\.arguments))
    }

    /// Joins parts with OR, as a tree and not as a chain: engines limit how deep an expression nests.
    static func any(_ parts: [SQLFragment]) -> SQLFragment {
        guard parts.count > 2 else { return .joined(parts, by: "OR") }
        let middle = parts.count / 2
        return .joined([any(Array(parts[..<middle])), any(Array(parts[middle...]))], by: "OR")
    }
}

/// Conditions.
extension SQLFragment {
    static let everybody: SQLFragment = "1 = 1"
    static let nobody: SQLFragment = "1 = 0"

    /// True for devices for which the condition does not hold, also because a value is missing.
    var negated: SQLFragment { "(\(self)) IS NOT TRUE" }
}
