import BelfryStore

/// Calls that are sent in a pipeline, many at a time.
extension PostgresLink {
    /// Runs one statement for each row, in a pipeline. Returns how many rows were changed in total.
    func runEach(_ sql: SQLText, _ rows: [[SQLValue]]) throws -> Int {
        var (changed, position) = (0, 0)
        while position < rows.count {
            let chunk = rows[position..<min(position + Self.pipeline, rows.count)]
            let calls = try PostgresCall.each(sql, chunk)
            try noting { try exchange(calls) { changed += $0.changes } }
            position += chunk.count
        }
        changes += changed
        return changed
    }

    /// Runs calls in a pipeline; returns their results, in order.
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
