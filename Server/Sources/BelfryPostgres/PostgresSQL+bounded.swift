import BelfryStore

extension PostgresSQL {
    /// Limits a statement to its first rows, up to a number of bytes, which is the last argument. A row is included if
    /// those before it have fewer bytes. The server counts without reading the texts, since it stores their lengths
    /// separately.
    ///
    /// The added last column is null in the statement's final row, and only there. The rows keep the order of the
    /// statement: a window without an order of its own takes them as they come.
    ///
    /// - Parameter texts: the positions of the columns whose bytes count. They get names of their own, since a
    ///   statement may have two columns of one name.
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
    /// Whether a statement of ``PostgresSQL/bounded(_:texts:)`` has more rows than those returned.
    var isFollowed: Bool {
        rows > 0 && !PostgresRow(result: self, row: Int32(rows - 1)).isNull(columns - 1)
    }
}
