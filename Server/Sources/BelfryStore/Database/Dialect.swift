/// The few places in which the engines differ. All other SQL is shared.
package protocol Dialect: Sendable {
    /// The engine's name as people know it.
    var engineName: String { get }
    /// A query of one row: the engine's version, and the size of the database in bytes.
    var facts: SQLText { get }
    /// Statements that take about 1 MB of the database's disk for a moment, and fail if it does not have that. Empty for
    /// an engine whose disk the program itself sees.
    var spaceTrial: [SQLText] { get }
    /// The column type of an integer key that the engine generates.
    var identityColumn: SQLText { get }
    /// Such a column for rows that nothing refers to by number: a number may be used again once its row is gone.
    var sequenceColumn: SQLText { get }
    /// The column type of an integer key that is the number of a row in another table.
    var numberColumn: SQLText { get }
    var blobType: SQLText { get }
    /// Ends the definition of a table that is stored in the order of its primary key.
    var clustered: SQLText { get }
    /// Ends the definition of a table whose pages are filled only to so many percent. The rest is for new versions of
    /// rows, which then need no new index entries. Empty for an engine that updates rows in place.
    func room(fill percent: Int) -> SQLText
    /// Statements that give an existing table such room on its new pages. The table must be undivided: a partitioned
    /// table (``partitions``) has no pages of its own.
    func setRoom(of table: SQLText, fill percent: Int) -> [SQLText]
    /// A query of the partitions of a table, whose name is the argument. Its columns: the name; whether it is the
    /// default partition; the lower and the upper bound as integers. No row means that the table is undivided. Nil if
    /// the engine has no partitions.
    var partitions: SQLText? { get }
    /// Whether several servers hold the database together (FLEET-5).
    var isDistributed: Bool { get }
    /// Whether a table can lose a constraint that it was made with.
    var dropsConstraints: Bool { get }
    /// Ends a `SELECT` that claims rows, so that concurrent claims skip each other's rows.
    var skipLocked: SQLText { get }

    /// Ends the definition of an index that finds rows by a text of any length, and also by another column if that
    /// helps the engine.
    func lookup(_ column: SQLText, and other: SQLText) -> SQLText

    /// A query whose rows are the integers of its one argument, a JSON array, so that one statement names many rows.
    var integers: SQLText { get }
    /// A query whose rows are the texts of its one argument, a JSON array.
    var texts: SQLText { get }
    /// Whether a column is one of some integers, each of which is looked up in an index.
    ///
    /// - Parameter isFirst: whether the column is the first of that index, or whether values between the least and the
    ///   greatest integer must not be read. Otherwise the column comes after others that the statement names, and the
    ///   engine reads at most the values between these two.
    func isOneOf(_ integers: [Int64], _ column: SQLText, isFirst: Bool) -> SQLFragment
    /// A query whose rows are the pairs of integers of its one argument, `[[1, 2], …]`; the columns are `low` and
    /// `high`.
    var ranges: SQLText { get }
    /// Whether a column equals an argument, in a list that is ordered by that column and a number:
    /// `WHERE \(isArgument("app_id")) AND id < ? ORDER BY app_id DESC, id DESC`. Only an index of both columns has this
    /// order. With a plain `=` the order of the number alone would do, and an engine that plans without knowing the
    /// argument might scan by it through the rows of all apps.
    func isArgument(_ column: SQLText) -> SQLText
    /// Whether a column is one of the numbers that a query finds, each of which is looked up in an index:
    /// `isFound("campaign_id", by: "SELECT id FROM campaigns WHERE app_id = ?")`. An engine that plans without knowing
    /// the arguments might otherwise join the two, and read one of them as a whole.
    func isFound(_ column: SQLText, by query: SQLText) -> SQLText

    /// The length in bytes of a text column.
    func bytes(of column: SQLText) -> SQLText

    /// The number under a key of a JSON object in `column`; null if there is none, or if the value has another type.
    /// The key is an argument, like any value.
    func jsonNumber(_ column: SQLText, key: String) -> SQLFragment
    /// The value under a key of a JSON object as text: booleans as `true` and `false`, numbers as they were written.
    func jsonText(_ column: SQLText, key: String) -> SQLFragment
    /// The position of a text within a text expression, counted from 1; 0 if it does not occur. It compares code
    /// points, unlike LIKE, whose rules for upper and lower case differ between engines.
    func place(of part: String, in expression: SQLFragment) -> SQLFragment
    /// Whether a text expression reads as a decimal number: optional sign, fraction and exponent, no white space,
    /// within the limits of ``DecimalText``.
    func readsAsNumber(_ expression: SQLFragment) -> SQLFragment
}

extension Dialect {
    /// Whether a column with a row's number is one of some integers. Where several servers hold the database together,
    /// they are asked for as ``isOneOf(_:_:isFirst:)`` does it: by the shards of these integers alone (FLEET-5).
    func isAmong(_ integers: [Int64], _ column: SQLText) -> SQLFragment {
        guard !isDistributed else { return isOneOf(integers, column, isFirst: true) }
        return "\(column) IN (\(SQLFragment(self.integers, [.integers(integers)])))"
    }

    /// Whether a device is within a range of numbers, or where devices are listed, one of those. Between the first and the
    /// last of a batch its shard has few others.
    func isWithin(_ devices: ClosedRange<Int64>, _ listed: [Int64]?, _ column: SQLText) -> SQLFragment {
        guard let listed else {
            return "\(column) BETWEEN \(bind: .integer(devices.lowerBound)) AND \(bind: .integer(devices.upperBound))"
        }
        return isOneOf(listed, column, isFirst: false)
    }
}
