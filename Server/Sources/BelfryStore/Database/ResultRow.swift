import Foundation

/// Names for the positions of a statement's values: the cases are in the order of the selected values. It is for a
/// statement whose text differs by engine or table. A statement that always selects the same values uses
/// `ResultColumn`.
package protocol ResultPlace: RawRepresentable where RawValue == Int {}

/// Names for the columns that a statement selects.
///
/// It is the only list of them: the cases are in the order of ``selectList``, and the raw value of a case is its
/// position in a row. So a new column cannot shift the position of another one.
///
///     enum Column: Int, ResultColumn {
///         case id, openedAt
///         var sql: SQLText { … }
///     }
protocol ResultColumn: ResultPlace, CaseIterable {
    /// The selected SQL: the name of a column, or an expression.
    var sql: SQLText { get }
    /// The SQL for a table with another name in the statement. A case that is not a plain column must implement it.
    func sql(of table: SQLText) -> SQLText
}

extension ResultColumn {
    func sql(of table: SQLText) -> SQLText { "\(table).\(sql)" }

    /// All columns, as they follow `SELECT`.
    static var selectList: SQLText { list(allCases.map(\.sql)) }

    /// All columns of a table with another name in the statement: `d.id, d.app_id`.
    static func selectList(of table: SQLText) -> SQLText {
        list(allCases.map { $0.sql(of: table) })
    }

    /// The number of columns; it is also the position of the first value that a statement selects after them.
    static var columnCount: Int { allCases.count }

    private static func list(_ columns: [SQLText]) -> SQLText {
        assert(allCases.enumerated().allSatisfy { $0.offset == $0.element.rawValue }, "\(Self.self) counts from 0")
        return columns.joined(by: ", ")
    }
}

/// One row of a statement that selects the columns of `Column`, each read by its name. Reading a null as a value gives
/// 0 or an empty text.
///
/// A name is a constant position, so the lookup costs nothing.
package struct ResultRow<Column: ResultPlace> {
    private let row: any SQLRow
    private let start: Int

    /// - Parameter start: how many columns the statement selects before those of `Column`.
    package init(_ row: any SQLRow, after start: Int = 0) {
        self.row = row
        self.start = start
    }

    package func isNull(_ column: Column) -> Bool { row.isNull(start + column.rawValue) }
    package func integer(_ column: Column) -> Int64 { row.integer(start + column.rawValue) }
    package func text(_ column: Column) -> String { row.text(start + column.rawValue) }
    /// The bytes of a text, for callers that pass it on without decoding.
    package func utf8(_ column: Column) -> [UInt8] { row.utf8(start + column.rawValue) }
    package func blob(_ column: Column) -> [UInt8] { row.blob(start + column.rawValue) }
    package func flag(_ column: Column) -> Bool { row.flag(start + column.rawValue) }
    package func date(_ column: Column) -> Date { row.date(start + column.rawValue) }
    package func optionalInteger(_ column: Column) -> Int64? { row.optionalInteger(start + column.rawValue) }
    package func optionalText(_ column: Column) -> String? { row.optionalText(start + column.rawValue) }
    package func optionalFlag(_ column: Column) -> Bool? { row.optionalFlag(start + column.rawValue) }
    package func optionalDate(_ column: Column) -> Date? { row.optionalDate(start + column.rawValue) }
}
