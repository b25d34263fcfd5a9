import BelfryStore

/// One run of a statement.
struct PostgresCall {
    let sql: SQLText
    /// The statement as the caller wrote it; the sent statement may wrap it.
    let asked: SQLText
    /// The types of the arguments; nil for a null, which fits any type.
    let types: [UInt32?]
    let arguments: PostgresArguments

    /// - Parameters:
    ///   - types: the types of the arguments, if they are known better than from their values.
    ///   - asked: the statement as the caller wrote it; nil: the same as `sql`.
    init(_ sql: SQLText, _ values: [SQLValue], types: [UInt32?]? = nil, asked: SQLText? = nil) throws {
        self.sql = sql
        self.asked = asked ?? sql
        self.types = types ?? values.map { PostgresType.of($0) }
        arguments = try PostgresArguments(values)
    }

    /// Runs of one statement, so that one preparation is good for all of them, wherever they have nulls.
    static func each(_ sql: SQLText, _ rows: ArraySlice<[SQLValue]>) throws -> [PostgresCall] {
        let types = PostgresType.common(rows)
        return try rows.map { try PostgresCall(sql, $0, types: types) }
    }

    /// A statement without arguments.
    init(_ sql: SQLText) {
        self.sql = sql
        asked = sql
        types = []
        arguments = PostgresArguments()
    }

    /// - Parameter columns: arrays, whose types the statement names.
    init(_ sql: SQLText, columns: PostgresArguments) {
        self.sql = sql
        asked = sql
        types = Array(repeating: nil, count: columns.count)
        arguments = columns
    }
}

/// The calls that were sent, and the responses that are expected, in order.
struct PostgresPipeline {
    enum Answer {
        /// Only success or failure matters.
        case word
        /// A prepared statement was released.
        case ended(SQLText)
        /// The argument types of a prepared statement, of which there are so many.
        case described(SQLText, name: SQLText, count: Int)
        /// The result of a call.
        case result
    }

    private struct Preparation {
        let name: SQLText
        let types: [UInt32]
    }

    var answers: [Answer] = []
    /// Why not all calls were sent.
    var failure: PostgresError?
    private var preparations: [SQLText: Preparation] = [:]

    /// Records that a statement is prepared in this pipeline.
    mutating func note(_ sql: SQLText, name: SQLText, _ types: [UInt32]) {
        answers.append(.described(sql, name: name, count: types.count))
        preparations[sql] = Preparation(name: name, types: types)
    }

    /// The name of a statement that is prepared in this pipeline, if its types fit the arguments of a call. If only the
    /// server knows a type so far, only a null fits.
    func prepared(_ call: PostgresCall) -> SQLText? {
        guard let preparation = preparations[call.sql], preparation.types.count == call.types.count,
            zip(preparation.types, call.types).allSatisfy({ $1 == nil || $1 == $0 })
        else { return nil }
        return preparation.name
    }
}
