import BelfryServerTestSupport
import Testing

@testable import BelfryStore

@Suite("Rows by the names of their columns")
struct ResultRowTests {
    private enum Column: Int, ResultColumn {
        case word, missing, number

        var sql: SQLText {
            switch self {
            case .word: "word"
            case .missing: "missing"
            case .number: "number"
            }
        }
    }

    @Test("STO-2: a column is read by its name, behind other columns too", arguments: Engine.allCases)
    func names(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let read = try await store.read { connection in
            try connection.first(
                """
                SELECT 7, \(Column.selectList(of: "v"))
                FROM (SELECT 8 AS number, CAST(NULL AS BIGINT) AS missing, 'a' AS word) v
                """,
                []
            ) { row -> String in
                let named = ResultRow<Column>(row, after: 1)
                let missing = named.optionalInteger(.missing).map { "\($0)" } ?? "none"
                return "\(row.integer(0)) \(named.text(.word)) \(missing) \(named.integer(.number))"
            }
        }
        #expect(read == "7 a none 8")
    }

    @Test("STO-2: the columns are selected in the order in which they are listed")
    func list() {
        #expect(Column.selectList == "word, missing, number")
        #expect(Column.selectList(of: "v") == "v.word, v.missing, v.number")
        #expect(Column.columnCount == 3)
    }
}
