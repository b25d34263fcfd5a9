import BelfryStore

extension PostgresSQL {
    /// The first rows of a statement, as far as some bytes reach; they are its last argument. A row comes if those before
    /// it have fewer: they are counted without the texts, whose lengths the server has beside them.
    ///
    /// Its last column is null in the last row of all, and only there. The rows stay in the order of the statement: a
    /// window that asks for no order of its own takes them as they come.
    ///
    /// - Parameter texts: the places of the columns that count. They have names of their own, for those of a statement
    ///   may come twice.
    static func bounded(_ sql: SQLText, texts: [Int]) -> SQLText {
        let names = (0...(texts.max() ?? 0)).map { column -> SQLText in "c\(column)" }
        let bytes = texts.map { column -> SQLText in "coalesce(octet_length(c\(column)), 0)" }
        return """
            SELECT * FROM (
                SELECT page.*, coalesce(sum(\(bytes.joined(by: " + "))) OVER earlier, 0) AS bytes_before,
                    lead(1) OVER earlier AS is_followed
                FROM (\(sql)) AS page (\(names.joined(by: ", ")))
                WINDOW earlier AS (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS pages
            WHERE bytes_before < ?
            """
    }
}

extension PostgresResult {
    /// Whether a statement of ``PostgresSQL/bounded(_:texts:)`` has more rows than have come.
    var isFollowed: Bool {
        rows > 0 && !PostgresRow(result: self, row: Int32(rows - 1)).isNull(columns - 1)
    }
}
