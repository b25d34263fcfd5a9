/// The connection that ``SQLDatabase/ask(_:_:)`` gives to a question. Every statement that evaluates a predicate of
/// unbounded cost is a method of this type. Write transactions have no such connection, so the compiler ensures that
/// predicates never use the writer's time.
package struct PredicateConnection {
    /// A connection for other reads in the same snapshot.
    package let connection: any SQLConnection
    let budget: any BudgetedConnection

    /// Only an engine calls this, for a question; `Scripts/check-statements` rejects any other call.
    package init(lentBy budget: any BudgetedConnection) {
        connection = budget
        self.budget = budget
    }
}

/// The budgeted connection that an engine provides for a question.
package protocol BudgetedConnection: SQLConnection {
    /// How much of the question's budget is spent, 0 to 1.
    var spent: Double { get }

    /// Runs a body that has a part, 0 to 1, of the remaining budget. If the body spends that part, the connection can
    /// still be used.
    ///
    /// - Throws: ``StoreError/tooExpensive(seconds:)`` when the part is spent.
    func spending<Output>(_ share: Double, _ body: () throws -> Output) throws -> Output
}
