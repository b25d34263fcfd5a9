/// One step of the schema; steps are appended and never changed (STO-1).
package struct Migration: Sendable {
    package let version: Int
    package let statements: @Sendable (any Dialect) -> [SQLText]
    /// Fills in values that no statement can compute; runs after the statements.
    package let fill: @Sendable (any SQLConnection) throws -> Void

    init(
        version: Int, fill: @escaping @Sendable (any SQLConnection) throws -> Void = { _ in },
        statements: @escaping @Sendable (any Dialect) -> [SQLText]
    ) {
        self.version = version
        self.statements = statements
        self.fill = fill
    }
}
