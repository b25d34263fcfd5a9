import Testing

/// FLEET-5: which statements a pattern is of, and whose a statement is.
struct StatementPatternTests {
    @Test(
        "FLEET-5: the fixed parts of a pattern stand in a statement in their order, from its beginning to its end",
        arguments: [
            ("SELECT … FROM devices WHERE id = ?", "SELECT id, name FROM devices WHERE id = ?", true),
            ("SELECT … FROM devices WHERE id = ?", "SELECT id\n  FROM devices\n  WHERE id = ?", true),
            ("SELECT … FROM devices WHERE id = ?", "SELECT id FROM devices WHERE id = ? AND name = ?", false),
            ("SELECT … FROM devices WHERE id = ?", "INSERT INTO t SELECT id FROM devices WHERE id = ?", false),
            ("SELECT … FROM devices WHERE id = ?…", "SELECT id FROM devices WHERE id = ?", true),
            ("SELECT … FROM devices WHERE id = ?…", "SELECT id FROM devices WHERE id = ? LIMIT ?", true),
            ("DELETE FROM devices", "DELETE FROM devices", true),
            ("DELETE FROM devices", "DELETE FROM devices WHERE id = ?", false),
            ("a … b … c", "a c b c", true), ("a … b … c", "a c b", false), ("ab…bc", "abc", false),
            ("IN (SELECT …)", "IN (\n    SELECT id\n)", true),
        ]
    )
    func matches(pattern: String, statement: String, isMatch: Bool) {
        #expect(StatementPattern(pattern).matches(StatementPattern.squeezed(statement)) == isMatch)
    }

    @Test("FLEET-5: the statements of a source file are its literals that begin as one, with gaps for interpolations")
    func literals() {
        let source = #"""
            // "SELECT comment"
            let one: SQLText = "SELECT \(columns(of: "c")) FROM apps" /* "SELECT other" */
            let two = """
                UPDATE apps SET name = ? \
                WHERE \(key ? "id = ?" : "SELECT \(nested)")
                """
            let none = ["Select this", "a \"SELECT\"", "\\"]
            let three = "DELETE FROM apps WHERE name = '\"'"
            """#
        #expect(
            Set(StatementSources.statements(in: source)) == [
                StatementPattern("SELECT … FROM apps"), StatementPattern("UPDATE apps SET name = ? WHERE …"),
                StatementPattern("SELECT …"), StatementPattern("DELETE FROM apps WHERE name = '\"'"),
            ]
        )
    }

    @Test("FLEET-5: a statement is of the literal that says most of it")
    func sources() throws {
        let sources = try StatementSources()
        func isOfRepositories(_ statement: String) -> Bool {
            sources.isOfRepositories(StatementPattern.squeezed(statement))
        }
        #expect(isOfRepositories("SELECT max(id) FROM devices"))
        // Of no literal at all: tests have `SELECT … FROM …`, which this is not.
        #expect(isOfRepositories("WITH nobody AS (SELECT 1) UPDATE knows SET it = 1"))
        // A test's, and a migration's.
        #expect(!isOfRepositories("SELECT contact_id FROM events ORDER BY event_id"))
        let migration = """
            SELECT id, contact_key FROM contacts
            WHERE app_id = ? AND contact_key > ? AND contact_key < ? AND merged_into IS NOT NULL
            ORDER BY contact_key LIMIT ?
            """
        #expect(!isOfRepositories(migration))
    }
}
