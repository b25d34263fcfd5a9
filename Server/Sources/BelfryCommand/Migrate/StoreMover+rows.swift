import BelfryPostgres
import BelfryStore

/// Copies the rows in ranges, and computes the checksums on both sides.
extension StoreMover {
    func counts(_ tables: [TableShape]) throws -> Int {
        try tables.reduce(0) { try $0 + source.count(of: $1) }
    }

    func moveRows(of tables: [TableShape], counts total: Int) throws {
        var moved = 0
        for table in tables {
            moved += try stopping(in: table) {
                try moveRows(of: table) { rows in
                    try tell(MoveProgress(phase: .moving, table: table.name.text, rows: moved + rows, total: total))
                }
            }
        }
        try tell(MoveProgress(phase: .moving, table: "", rows: moved, total: total))
    }

    /// - Returns: the number of the table's rows that were moved, now or earlier.
    private func moveRows(of table: TableShape, tell: (Int) throws -> Void) throws -> Int {
        var progress = try target.transaction { try $0.connection.storeMoves.progress(of: table.name) }
        var isContinued = progress.rows > 0
        while true {
            try tell(progress.rows)
            do {
                guard let next = try moveRange(of: table, after: progress) else { return progress.rows }
                progress = next
            } catch StoreError.rejected where isContinued {
                // The server ran after the earlier rows were moved, and a unique key now belongs to another row.
                try restart(table)
                (progress, isContinued) = (.start, false)
            }
        }
    }

    /// - Returns: nil when no rows were left.
    private func moveRange(of table: TableShape, after progress: TableProgress) throws -> TableProgress? {
        let keyKinds = table.keyColumns.map(\.kind)
        let position = try progress.position.map { bytes in
            guard let key = RowBytes.decode(bytes[...], as: keyKinds) else {
                throw StoreError.corrupted(table: "store_move_tables", key: table.name.text)
            }
            return key
        }
        return try target.transaction { transaction in
            var (rows, bytes) = (0, 0)
            var last: [SQLValue] = []
            try transaction.copy(into: table) { write in
                try source.rows(of: table, after: position) { values in
                    let row = try encode(values, table)
                    try write(row)
                    last = values
                    rows += 1
                    bytes += row.count
                    return rows < limit.rows && bytes < limit.bytes
                }
            }
            guard rows > 0 else { return nil }
            // The key is stored as the source has it, null characters included, because the next range starts after it
            // there.
            let key = try RowBytes.encode(table.key.map { last[$0] }, as: keyKinds, null: .kept)
            let next = TableProgress(rows: progress.rows + rows, position: key)
            try transaction.connection.storeMoves.note(next, of: table.name)
            return next
        }
    }

    private func encode(_ values: [SQLValue], _ table: TableShape) throws -> [UInt8] {
        do throws(RowError) {
            return try RowBytes.encode(values, as: table.kinds, null: replacesNull ? .replaced : .rejected)
        } catch {
            throw MoveError.unmovable(
                table: table.name.text, column: table.columns[error.column].name.text,
                key: table.key.map { Self.shown(values[$0]) }.joined(separator: ", "), problem: error.problem
            )
        }
    }

    /// A key value in the form in which an operator would search for it.
    private static func shown(_ value: SQLValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): "'\(text.printable)'"
        case .blob(let bytes): "a value of \(bytes.count) bytes"
        }
    }

    /// Adds the table's name to an error that does not have it.
    private func stopping<Output>(in table: TableShape, _ body: () throws -> Output) throws -> Output {
        do {
            return try body()
        } catch let error as MoveError {
            throw error
        } catch {
            throw MoveError.stopped(table: table.name.text, reason: "\(error)")
        }
    }

    func restart(_ table: TableShape) throws {
        try target.transaction { transaction in
            try transaction.empty(table.name)
            try transaction.connection.storeMoves.note(.start, of: table.name)
        }
    }

    func compare(_ tables: [TableShape]) throws -> [MoveReport.Table] {
        let total = try 2 * counts(tables)
        var seen = 0
        return try tables.map { table in
            var (sourceSum, targetSum) = (RowChecksum(), RowChecksum())
            func count() throws {
                seen += 1
                guard seen.isMultiple(of: RangeLimit.standardRows) else { return }
                try tell(MoveProgress(phase: .verifying, table: table.name.text, rows: seen, total: total))
            }
            try stopping(in: table) {
                try source.rows(of: table, after: nil) { values in
                    sourceSum.add(try encode(values, table))
                    try count()
                    return true
                }
                try target.rows(of: table) { row in
                    targetSum.add(row)
                    try count()
                }
            }
            return MoveReport.Table(table.name, source: sourceSum, target: targetSum)
        }
    }
}
