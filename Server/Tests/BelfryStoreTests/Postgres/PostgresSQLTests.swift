import BelfryStore
import Testing

@testable import BelfryPostgres

struct PostgresSQLTests {
    @Test(
        "STO-2: question marks become numbered arguments, those inside texts and names do not",
        arguments: [
            ("SELECT 1", "SELECT 1"),
            ("SELECT ?, ? FROM t WHERE a = ?", "SELECT $1, $2 FROM t WHERE a = $3"),
            ("SELECT '?', ?, 'it''s ?', ?", "SELECT '?', $1, 'it''s ?', $2"),
            ("SELECT \"a?\" FROM t WHERE b = ?", "SELECT \"a?\" FROM t WHERE b = $1"),
            ("SELECT 'é?' || ? || 'open ?", "SELECT 'é?' || $1 || 'open ?"),
        ])
    func arguments(sql: String, spelled: String) {
        #expect(PostgresSQL.spelled(sql) == spelled)
    }

    @Test(
        "STO-2: columns of text are compared by bytes, in any language of the database",
        arguments: [
            ("CREATE TABLE t (a TEXT NOT NULL, b BIGINT)", "CREATE TABLE t (a TEXT COLLATE \"C\" NOT NULL, b BIGINT)"),
            ("ALTER TABLE t ADD COLUMN a3_text TEXT", "ALTER TABLE t ADD COLUMN a3_text TEXT COLLATE \"C\""),
            ("CREATE TABLE t (TEXT_1 REAL)", "CREATE TABLE t (TEXT_1 DOUBLE PRECISION)"),
            ("CREATE TABLE t (a BIGINT DEFAULT 'TEXT')", "CREATE TABLE t (a BIGINT DEFAULT 'TEXT')"),
            ("SELECT CAST(a AS TEXT) FROM t", "SELECT CAST(a AS TEXT) FROM t"),
        ])
    func columns(sql: String, spelled: String) {
        #expect(PostgresSQL.spelled(sql) == spelled)
    }

    @Test("STO-2: a connection caches a number of statements, and evicts the least recently used")
    func statements() {
        var statements = PostgresStatements()
        let count = PostgresStatements.maximumCount
        for number in 0..<count {
            #expect(statements.keep("\(number)", name: statements.newName(), types: []).isEmpty)
        }
        #expect(statements.find("0", []) != nil)
        let gone = statements.keep("new", name: statements.newName(), types: [])
        #expect(gone == ["b2"])
        #expect(statements.find("1", []) == nil && statements.find("0", []) != nil && statements.find("new", []) != nil)
    }

    @Test("STO-2: a null fits any argument; a value of another type makes another statement")
    func types() {
        var statements = PostgresStatements()
        let (text, number) = (PostgresType.text, PostgresType.int8)
        #expect(statements.types("q", [nil, number]) == [PostgresType.unknown, number])
        _ = statements.keep("q", name: "a", types: [text, number])
        #expect(statements.find("q", [nil, nil])?.name == "a")
        #expect(statements.find("q", [text, nil])?.name == "a")
        #expect(statements.find("q", [number, nil]) == nil && statements.find("q", [nil]) == nil)
        #expect(statements.types("q", [number, nil]) == [number, number])
        #expect(statements.keep("q", name: "b", types: [number, number]) == ["a"])
    }

    @Test("STO-2: rows are grouped if their columns agree")
    func commonTypes() {
        let (text, number) = (PostgresType.text, PostgresType.int8)
        #expect(PostgresType.common([[.null, .text("a")], [.integer(1), .null]]) == [number, text])
        #expect(PostgresType.common([[.null], [.null]]) == [nil])
        #expect(PostgresType.common([[.integer(1)], [.real(1)]]) == nil)
        #expect(PostgresType.common([[.integer(1)], [.integer(1), .null]]) == nil)
    }

    /// The pauses of a transaction that the same keeps from happening, each time that it runs.
    private static func pauses(_ error: PostgresError, after repetition: Repetition = Repetition()) -> [Double] {
        var repetition = repetition
        var pauses: [Double] = []
        while let pause = repetition.pause(after: error, jitter: 0.5) { pauses.append(pause) }
        return pauses
    }

    /// One that has failed so.
    private static func repetition(after errors: [PostgresError]) -> Repetition {
        errors.reduce(into: Repetition()) { _ = $0.pause(after: $1, jitter: 0.5) }
    }

    private static let conflict = PostgresError(code: "40001", message: "")
    private static let lost = PostgresError(code: "08006", message: "", isLost: true)
    private static let takenKey = PostgresError(code: "23505", message: "")

    @Test("STO-2: conflicts are retried, with growing delays and not forever; what is refused is not")
    func conflicts() throws {
        let pauses = Self.pauses(Self.conflict)
        #expect(pauses.count == Repetition.maximumAttempts - 1)
        #expect(pauses.first == Repetition.firstPause && pauses.last == Repetition.longestPause)
        #expect(pauses == pauses.sorted())
        var (first, second) = (Self.repetition(after: [Self.conflict]), Self.repetition(after: [Self.conflict]))
        let early = first.pause(after: Self.conflict, jitter: 0)
        let late = second.pause(after: Self.conflict, jitter: 0.99)
        #expect(try #require(early) < #require(late))
        #expect(Self.pauses(Self.lost) == [0])
        for error in [PostgresError.commitLost, .closed, PostgresError(code: "23502", message: "")] {
            #expect(Self.pauses(error).isEmpty)
        }
    }

    @Test("STO-2: a key that is taken refuses a write that has run in turn since it met one, or that ran often enough")
    func takenKeys() {
        #expect(Self.pauses(Self.takenKey).count == Repetition.firstInTurn)
        for count in 0...Repetition.maximumAttempts {
            let repetition = Self.repetition(after: Array(repeating: Self.conflict, count: count))
            #expect(repetition.attempt == min(count, Repetition.maximumAttempts - 1))
            let isLast = repetition.attempt == Repetition.maximumAttempts - 1
            #expect(repetition.isOfAll(Self.takenKey) == !isLast && repetition.isOfAll(Self.conflict))
            let times = isLast ? 0 : max(1, Repetition.firstInTurn - count)
            #expect(Self.pauses(Self.takenKey, after: repetition).count == times, "after \(count) conflicts")
        }
        let met = Self.repetition(after: [Self.takenKey, Self.takenKey])
        #expect(!met.isOfAll(Self.takenKey) && met.isOfAll(Self.conflict) && met.isInTurn)
    }

    @Test(
        "FLEET-11: why a transaction runs again is one of five words",
        arguments: [
            ("40001", "serialization"), ("40P01", "deadlock"), ("55P03", "lock"), ("08006", "connection"),
            ("57P01", "connection"), ("23505", "key"), ("42701", "key"),
        ])
    func reason(code: String, word: String) {
        #expect(Repetition.reason(of: PostgresError(code: code, message: "m")) == word)
    }

    @Test(
        "STO-2, REG-20: temporary and permanent errors are distinguished",
        arguments: [
            ("40001", true), ("40P01", true), ("55P03", true), ("57P01", true), ("57014", true), ("53300", true),
            ("08006", true), ("08007", true), ("25006", true), ("58030", true), ("23505", false), ("22021", false),
            ("54000", false),
        ])
    func mapped(code: String, isPassing: Bool) {
        let mapped = StoreError.mapped(postgres: PostgresError(code: code, message: "m")) as? StoreError
        switch mapped {
        case .tryAgain: #expect(isPassing)
        case .rejected: #expect(!isPassing)
        default: Issue.record("\(code): \(String(describing: mapped))")
        }
    }
}
