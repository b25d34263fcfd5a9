/// The few words in which the engines differ. Everything else is one body of SQL.
package protocol Dialect: Sendable {
    /// What people call the engine.
    var engineName: String { get }
    /// A query of one row: the engine's version, and the bytes of the database.
    var facts: SQLText { get }
    /// The column type of an integer key that the engine numbers by itself.
    var identityColumn: SQLText { get }
    /// The same for rows that nothing refers to by number: a number may come again once its row is gone.
    var sequenceColumn: SQLText { get }
    /// The column type of an integer key that is the number of a row in another table.
    var numberColumn: SQLText { get }
    var blobType: SQLText { get }
    /// Ends the definition of a table that is stored in the order of its primary key.
    var clustered: SQLText { get }
    /// Ends the definition of a table of which each page is filled to so many percent: what is left is for the next
    /// versions of its rows, which then need no new entries in the indexes. Empty where a row is written in its place.
    func room(fill percent: Int) -> SQLText
    /// What gives a table that is there already such room on its new pages. It has to be in one piece: a table in
    /// partitions (``partitions``) has no pages of its own.
    func setRoom(of table: SQLText, fill percent: Int) -> [SQLText]
    /// A query of the partitions of a table, whose name is the argument: the name of each, whether it takes what no other
    /// does, since when it goes and until when, as integers. No row: the table is in one piece. Nil where the engine has no
    /// partitions.
    var partitions: SQLText? { get }
    /// Whether a table can lose a constraint that it was made with.
    var dropsConstraints: Bool { get }
    /// Ends a claiming `SELECT`, so that concurrent claimers skip each other's rows.
    var skipLocked: SQLText { get }

    /// Ends the definition of an index that finds rows by a text of any length, and by another column where that helps.
    func lookup(_ column: SQLText, and other: SQLText) -> SQLText

    /// A query whose rows are the integers of its one argument, a JSON array: many rows are named by one statement.
    var integers: SQLText { get }
    /// The same of texts.
    var texts: SQLText { get }
    /// Whether a column is one of some integers, each of which is looked up in an index.
    ///
    /// - Parameter isFirst: whether the column is the first of that index, or has others between the least and the greatest
    ///   of the integers that must not be read. Else it stands behind others that the statement names, and no more is read
    ///   than lies between the two.
    func isOneOf(_ integers: [Int64], _ column: SQLText, isFirst: Bool) -> SQLFragment
    /// The same of pairs of integers, `[[1, 2], …]`: the columns are `low` and `high`.
    var ranges: SQLText { get }
    /// Whether a column has the value of an argument, in a list whose order is that of the column and of a number:
    /// `WHERE \(isArgument("app_id")) AND id < ? ORDER BY app_id DESC, id DESC`. An index of both has the list in this
    /// order, and nothing else has. After a plain `=` the order of the number alone would do, and an engine that plans
    /// without the argument might walk by it through everybody's rows.
    func isArgument(_ column: SQLText) -> SQLText
    /// Whether a column is one of the numbers that a query finds, each of which is looked up in an index:
    /// `isFound("campaign_id", by: "SELECT id FROM campaigns WHERE app_id = ?")`. An engine that plans without the
    /// arguments might otherwise join the two, and read one of them as a whole.
    func isFound(_ column: SQLText, by query: SQLText) -> SQLText

    /// How many bytes a text in a column has.
    func bytes(of column: SQLText) -> SQLText

    /// The number under a key of a JSON object in `column`; null when there is none, or a value of another type. The key
    /// is an argument, like any value.
    func jsonNumber(_ column: SQLText, key: String) -> SQLFragment
    /// The value as text; booleans read `true` and `false`, numbers as they were written.
    func jsonText(_ column: SQLText, key: String) -> SQLFragment
    /// The place of a text, counted from 1, in a text expression; 0 when it is not in it. By code points, not as
    /// LIKE, whose idea of upper and lower case differs from engine to engine.
    func place(of part: String, in expression: SQLFragment) -> SQLFragment
    /// Whether a text expression reads as a decimal number: sign, fraction and exponent as one likes, no white space,
    /// within the limits of ``DecimalText``.
    func readsAsNumber(_ expression: SQLFragment) -> SQLFragment
}
