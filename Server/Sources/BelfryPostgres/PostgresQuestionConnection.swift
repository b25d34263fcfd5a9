import BelfryStore
import Foundation

/// The connection of a question: the server ends a statement that exceeds the remaining budget.
final class PostgresQuestionConnection: BudgetedConnection {
    /// How far the server's time limit may exceed what is left of the budget, as a fraction of the limit. Setting it
    /// exactly would take one more statement each time.
    private static let slack = 0.1
    private static let savepoint: SQLText = "question"
    private static let cancelled = "57014"

    private let base: PostgresConnection
    private let run: QuestionRun
    /// The server's current time limit for a statement, in nanoseconds; nil if unknown.
    private var limit: UInt64?

    init(base: PostgresConnection, run: QuestionRun) {
        self.base = base
        self.run = run
    }

    var dialect: any Dialect { base.dialect }
    var spent: Double { run.spent }

    func execute(_ sql: SQLText, _ arguments: [SQLValue]) throws -> Int {
        try bound()
        return try base.execute(sql, arguments)
    }

    func executeEach(_ sql: SQLText, _ rows: [[SQLValue]]) throws -> Int {
        try bound()
        return try base.executeEach(sql, rows)
    }

    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], _ map: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        try bound()
        return try base.query(sql, arguments, map)
    }

    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], texts: [Int], in room: inout ByteRoom,
        _ map: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        try bound()
        return try base.query(sql, arguments, texts: texts, in: &room, map)
    }

    /// Runs in a savepoint, so that the transaction can continue after the server has ended a statement.
    func spending<Output>(_ share: Double, _ body: () throws -> Output) throws -> Output {
        base.link.savepoint(Self.savepoint)
        let output: Output
        do {
            output = try run.spending(share) { try mappingErrors(body) }
        } catch {
            limit = nil
            if base.link.isOpen, base.link.isInTransaction { try base.link.rollBack(to: Self.savepoint) }
            throw error
        }
        try base.link.release(Self.savepoint)
        return output
    }

    func mappingErrors<Output>(_ body: () throws -> Output) throws -> Output {
        do {
            return try body()
        } catch let error as PostgresError where error.code == Self.cancelled {
            throw run.error
        }
    }

    private func bound() throws {
        if run.isOver { throw run.error }
        let left = run.left
        if let limit, limit >= left, Double(limit - left) <= Self.slack * Double(limit) { return }
        // 0 would mean no limit.
        let milliseconds = max(left / 1_000_000, 1)
        base.link.runAhead(
            try PostgresCall("SELECT set_config('statement_timeout', ?, true)", [.text(String(milliseconds))])
        )
        limit = left
    }
}
