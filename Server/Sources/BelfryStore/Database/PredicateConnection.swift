/// The connection that ``SQLDatabase/ask(_:_:)`` gives to a question. Every statement that evaluates a predicate whose cost is not
/// bounded is a method of it, and no transaction that writes has one: the compiler keeps the writer's time from them.
package struct PredicateConnection {
    /// What else is known of the same moment.
    package let connection: any SQLConnection
    let budget: any BudgetedConnection

    /// Only an engine makes one, for a question; `Scripts/check-statements` refuses any other call.
    package init(lentBy budget: any BudgetedConnection) {
        connection = budget
        self.budget = budget
    }
}

/// The connection that an engine gives to a question.
package protocol BudgetedConnection: SQLConnection {
    /// How much of the question's budget is spent, 0 to 1.
    var spent: Double { get }

    /// Runs a body that has a share of what is left of the budget, 0 to 1. When it spends that, the connection goes on.
    ///
    /// - Throws: ``StoreError/tooExpensive(seconds:)`` when it is spent.
    func spending<Output>(_ share: Double, _ body: () throws -> Output) throws -> Output
}
