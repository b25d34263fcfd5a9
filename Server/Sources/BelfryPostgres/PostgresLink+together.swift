import BelfryStore

/// Calls of which many are on their way at once.
extension PostgresLink {
    /// Runs one statement for each row; many are on their way at once. Returns how many rows were changed together.
    func runEach(_ sql: SQLText, _ rows: [[SQLValue]]) throws -> Int {
        var (changed, position) = (0, 0)
        while position < rows.count {
            let chunk = rows[position..<min(position + Self.pipeline, rows.count)]
            // So that one preparation is good for all of them, wherever they have nulls.
            let types = PostgresType.common(chunk)
            let calls = try chunk.map { try PostgresCall(sql, $0, types: types) }
            try noting { try exchange(calls) { changed += $0.changes } }
            position += chunk.count
        }
        changes += changed
        return changed
    }

    /// Runs calls of which many are on their way at once; what each gave, in their order.
    func runTogether(_ calls: [PostgresCall]) throws -> [PostgresResult] {
        var results: [PostgresResult] = []
        results.reserveCapacity(calls.count)
        while results.count < calls.count {
            let (position, end) = (results.count, min(results.count + Self.pipeline, calls.count))
            try noting { try exchange(Array(calls[position..<end])) { results.append($0) } }
            guard results.count == end else { throw PostgresError(result: nil, link: pointer) }
        }
        changes += results.reduce(0) { $0 + $1.changes }
        return results
    }
}
