import BelfryServerTestSupport
import BelfryStore
import Testing

/// FLEET-1: the program of the version before goes on, and may be started again, when a migration has run.
struct AdditiveMigrationTests {
    /// The first version beside which the one before may run.
    private static let first = 25
    /// What a version removes because the one before made it needless: the beginning of its statement.
    private static let needless: [Int: [String]] = [:]

    /// The first statement that a program which does not know it may not bear; nil when all of them only add.
    private static func obstacle(in statements: [String], needless: [String] = []) -> String? {
        var created: Set<Substring> = []
        return statements.first { statement in
            let words = statement.split(whereSeparator: \.isWhitespace)
            switch words.prefix(2) {
            case ["CREATE", "TABLE"]:
                created.insert(words[2])
                return false
            case ["CREATE", "INDEX"]:
                return false
            case ["CREATE", "UNIQUE"]:
                // CREATE UNIQUE INDEX name ON table: of a table that others fill already, it refuses what they write.
                return !created.contains(words[5])
            case ["ALTER", "TABLE"] where words[3...].starts(with: ["ADD", "COLUMN"]):
                let isFilled = !words.contains("NOT") || words.contains("DEFAULT")
                return !isFilled || ["UNIQUE", "REFERENCES", "CHECK"].contains { words.contains($0) }
            case ["ALTER", "TABLE"] where words[3...].starts(with: ["SET", "(fillfactor", "="]):
                // How full new pages become concerns no program, and nobody waits for it.
                return words.count != 7 || !words[6].hasSuffix(")") || Int(words[6].dropLast()) == nil
            default:
                return !needless.contains { statement.hasPrefix($0) }
            }
        }
    }

    @Test("FLEET-1: migrations only add; what they make needless goes one version later", arguments: Engine.allCases)
    func onlyAdd(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let later = try await store.read { connection in
            Migration.all.filter { $0.version >= Self.first }.map { migration in
                (migration.version, migration.statements(connection.dialect).map(\.statement))
            }
        }
        for (version, statements) in later {
            let obstacle = Self.obstacle(in: statements, needless: Self.needless[version] ?? [])
            #expect(obstacle == nil, "programs of version \(version - 1) cannot run beside this")
        }
    }

    @Test(
        "FLEET-1: what the program of the version before cannot bear is found",
        arguments: [
            ("CREATE TABLE a (id BIGINT PRIMARY KEY)", true), ("CREATE INDEX a_by_b ON a (b)", true),
            ("ALTER TABLE a ADD COLUMN b TEXT", true), ("ALTER TABLE a ADD COLUMN b BIGINT NOT NULL DEFAULT 0", true),
            ("ALTER TABLE a ADD COLUMN b BIGINT NOT NULL", false), ("ALTER TABLE a RENAME COLUMN b TO c", false),
            ("ALTER TABLE a DROP COLUMN b", false), ("DROP TABLE a", false), ("UPDATE a SET b = 1", false),
            ("CREATE UNIQUE INDEX a_b ON a (b)", false), ("ALTER TABLE a ADD COLUMN b BIGINT UNIQUE", false),
            ("ALTER TABLE a RENAME TO b", false), ("ALTER TABLE a SET (fillfactor = 45)", true),
            ("ALTER TABLE a SET (fillfactor = 45), DROP COLUMN b", false),
            ("ALTER TABLE a SET (fillfactor = 45, autovacuum_enabled = false)", false),
            ("ALTER TABLE a SET (autovacuum_enabled = false)", false), ("ALTER TABLE a SET SCHEMA b", false),
        ]
    )
    func obstacles(statement: String, isBorne: Bool) {
        #expect((Self.obstacle(in: [statement]) == nil) == isBorne)
    }

    @Test("FLEET-1: a table of its own may have what it likes; what is needless may go")
    func own() {
        #expect(Self.obstacle(in: ["CREATE TABLE a (b TEXT)", "CREATE UNIQUE INDEX a_b ON a (b)"]) == nil)
        #expect(Self.obstacle(in: ["DROP INDEX a_b"], needless: ["DROP INDEX a_b"]) == nil)
    }
}
