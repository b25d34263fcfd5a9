import Foundation

/// The places of a statement's values, each under its name in the program: the cases are in the order in which it selects
/// them. It is for a statement that is written anew for each engine or table. One that always selects the same lists it
/// once, by a `ResultColumn`.
package protocol ResultPlace: RawRepresentable where RawValue == Int {}

/// The columns that a statement selects, each under its name in the program.
///
/// It is the one list of them: the cases are in the order of ``selectList``, and the number of a case is its place in a
/// row. What is added cannot move what another column is read from.
///
///     enum Column: Int, ResultColumn {
///         case id, openedAt
///         var sql: SQLText { … }
///     }
protocol ResultColumn: ResultPlace, CaseIterable {
    /// What is selected: the name of a column, or an expression.
    var sql: SQLText { get }
    /// The same of a table that has another name in the statement. Whatever is no column says so itself.
    func sql(of table: SQLText) -> SQLText
}

extension ResultColumn {
    func sql(of table: SQLText) -> SQLText { "\(table).\(sql)" }

    /// All of them, as they follow `SELECT`.
    static var selectList: SQLText { list(allCases.map(\.sql)) }

    /// The same of a table that has another name in the statement: `d.id, d.app_id`.
    static func selectList(of table: SQLText) -> SQLText {
        list(allCases.map { $0.sql(of: table) })
    }

    /// How many there are, which is the place of what a statement selects behind them.
    static var columnCount: Int { allCases.count }

    private static func list(_ columns: [SQLText]) -> SQLText {
        assert(allCases.enumerated().allSatisfy { $0.offset == $0.element.rawValue }, "\(Self.self) counts from 0")
        return columns.joined(by: ", ")
    }
}

/// One row of a statement that selects what `Column` names, each read by its name. Reading a null as a value gives 0
/// or an empty text.
///
/// A name is a constant place, so it costs nothing to look it up.
package struct ResultRow<Column: ResultPlace> {
    private let row: any SQLRow
    private let start: Int

    /// - Parameter start: the columns that the statement selects before those of `Column`.
    package init(_ row: any SQLRow, after start: Int = 0) {
        self.row = row
        self.start = start
    }

    package func isNull(_ column: Column) -> Bool { row.isNull(start + column.rawValue) }
    package func integer(_ column: Column) -> Int64 { row.integer(start + column.rawValue) }
    package func text(_ column: Column) -> String { row.text(start + column.rawValue) }
    /// The bytes of a text, for whoever passes it on unread.
    package func utf8(_ column: Column) -> [UInt8] { row.utf8(start + column.rawValue) }
    package func blob(_ column: Column) -> [UInt8] { row.blob(start + column.rawValue) }
    package func flag(_ column: Column) -> Bool { row.flag(start + column.rawValue) }
    package func date(_ column: Column) -> Date { row.date(start + column.rawValue) }
    package func optionalInteger(_ column: Column) -> Int64? { row.optionalInteger(start + column.rawValue) }
    package func optionalText(_ column: Column) -> String? { row.optionalText(start + column.rawValue) }
    package func optionalFlag(_ column: Column) -> Bool? { row.optionalFlag(start + column.rawValue) }
    package func optionalDate(_ column: Column) -> Date? { row.optionalDate(start + column.rawValue) }
}
