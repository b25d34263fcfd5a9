/// The few words in which the engines differ. Everything else is one body of SQL.
package protocol Dialect: Sendable {
    /// The column type of an integer key that the engine numbers by itself.
    var identityColumn: String { get }
    /// The same for rows that nothing refers to by number: a number may come again once its row is gone.
    var sequenceColumn: String { get }
    var blobType: String { get }
    /// Ends the definition of a table that is stored in the order of its primary key.
    var clustered: String { get }
    /// Ends a claiming `SELECT`, so that concurrent claimers skip each other's rows.
    var skipLocked: String { get }

    /// Ends the definition of an index that finds rows by a text of any length, and by another column where that helps.
    func lookup(_ column: String, and other: String) -> String

    /// A query whose rows are the integers of its one argument, a JSON array: many rows are named by one statement.
    var integers: String { get }

    /// The number under a key of a JSON object in `column`; null when there is none, or a value of another type.
    func jsonNumber(_ column: String, key: String) -> String
    /// The value as text; booleans read `true` and `false`, numbers as they were written.
    func jsonText(_ column: String, key: String) -> String
    /// The place of an argument, counted from 1, in a text expression; 0 when it is not in it. By code points, not as
    /// LIKE, whose idea of upper and lower case differs from engine to engine.
    func place(in expression: String) -> String
    /// Whether a text expression reads as a decimal number: sign, fraction and exponent as one likes, no white space,
    /// within the limits of ``DecimalText``.
    func readsAsNumber(_ expression: String) -> String
}
