/// A piece of SQL with the arguments of its question marks.
package struct SQLFragment: Hashable, Sendable {
    package let sql: String
    package let arguments: [SQLValue]

    package init(_ sql: String, _ arguments: [SQLValue] = []) {
        self.sql = sql
        self.arguments = arguments
    }

    static func joined(_ parts: [SQLFragment], by word: String) -> SQLFragment {
        SQLFragment(
            parts.map { "(\($0.sql))" }.joined(separator: " \(word) "), parts.flatMap(\.arguments)
        )
    }

    /// One of many, as a tree and not as a chain: engines bound how deep an expression nests.
    static func any(_ parts: [SQLFragment]) -> SQLFragment {
        guard parts.count > 2 else { return .joined(parts, by: "OR") }
        let middle = parts.count / 2
        return .joined([any(Array(parts[..<middle])), any(Array(parts[middle...]))], by: "OR")
    }
}
