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

    /// The number under a key of a JSON object in `column`; null when there is none, or a value of another type.
    func jsonNumber(_ column: String, key: String) -> String
    /// The value as text; booleans read `true` and `false`.
    func jsonText(_ column: String, key: String) -> String
    /// Whether a text expression reads as a decimal number: sign, fraction and exponent as one likes, no white space,
    /// within the limits of ``DecimalText``.
    func readsAsNumber(_ expression: String) -> String
}
