import BelfryModel
import Foundation

/// An argument of a statement.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    package static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }
    package static func flag(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }
    /// Dates are stored as milliseconds since 1970.
    package static func date(_ value: Date) -> SQLValue { .integer(value.milliseconds) }

    /// The argument of ``Dialect/integers``, a JSON array.
    package static func integers(_ values: some Sequence<Int64>) -> SQLValue {
        .text("[\(values.map { String($0) }.joined(separator: ","))]")
    }

    package static func optional(_ value: String?) -> SQLValue { value.map(SQLValue.text) ?? .null }
    package static func optional(_ value: Int64?) -> SQLValue { value.map(SQLValue.integer) ?? .null }
    package static func optional(_ value: Bool?) -> SQLValue { value.map(SQLValue.flag) ?? .null }
    package static func optional(_ value: Date?) -> SQLValue { value.map(SQLValue.date) ?? .null }
}

/// One row of a query; columns are counted from 0. Reading a null as a value gives 0 or an empty text. Code with more
/// than a few columns reads them by name, through ``ResultRow``.
package protocol SQLRow {
    func isNull(_ column: Int) -> Bool
    func integer(_ column: Int) -> Int64
    func text(_ column: Int) -> String
    /// The bytes of a text, for callers that pass it on without decoding.
    func utf8(_ column: Int) -> [UInt8]
    /// How many bytes a text has; 0 for a null.
    func byteCount(_ column: Int) -> Int
    func blob(_ column: Int) -> [UInt8]
}

extension SQLRow {
    package func utf8(_ column: Int) -> [UInt8] { Array(text(column).utf8) }
    package func byteCount(_ column: Int) -> Int { utf8(column).count }
    /// How many bytes the texts of several columns have together.
    package func byteCount(_ columns: [Int]) -> Int { columns.reduce(0) { $0 + byteCount($1) } }
    package func flag(_ column: Int) -> Bool { integer(column) != 0 }
    package func date(_ column: Int) -> Date { Date(milliseconds: integer(column)) }
    package func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }
    package func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
    package func optionalFlag(_ column: Int) -> Bool? { isNull(column) ? nil : flag(column) }
    package func optionalDate(_ column: Int) -> Date? { isNull(column) ? nil : date(column) }
}
