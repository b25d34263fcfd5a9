import BelfryStore

/// One run of a statement.
struct PostgresCall {
    let sql: SQLText
    /// The same as it was asked: what goes to the server may have something around it.
    let asked: SQLText
    /// Of the arguments; nil for a null, which fits any.
    let types: [UInt32?]
    let arguments: PostgresArguments

    /// - Parameters:
    ///   - types: those of the arguments, where they are known better than by their values.
    ///   - asked: nil: the statement itself.
    init(_ sql: SQLText, _ values: [SQLValue], types: [UInt32?]? = nil, asked: SQLText? = nil) throws {
        self.sql = sql
        self.asked = asked ?? sql
        self.types = types ?? values.map { PostgresType.of($0) }
        arguments = try PostgresArguments(values)
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

/// What is on its way to the server, and the answers that are to come, in their order.
struct PostgresPipeline {
    enum Answer {
        /// Nobody needs to know more than that it was done.
        case word
        /// A prepared statement is gone.
        case ended(SQLText)
        /// What a statement that was prepared takes; so many arguments are on their way.
        case described(SQLText, name: SQLText, count: Int)
        /// What a call gave.
        case result
    }

    private struct Preparation {
        let name: SQLText
        let types: [UInt32]
    }

    var answers: [Answer] = []
    /// Why not everything went out.
    var failure: PostgresError?
    private var preparations: [SQLText: Preparation] = [:]

    /// Notes that a statement is prepared on the way.
    mutating func note(_ sql: SQLText, name: SQLText, _ types: [UInt32]) {
        answers.append(.described(sql, name: name, count: types.count))
        preparations[sql] = Preparation(name: name, types: types)
    }

    /// The name of a statement that is prepared on the way, if it takes the arguments of a call. Where only the server
    /// knows a type yet, no value but a null can be meant for it.
    func prepared(_ call: PostgresCall) -> SQLText? {
        guard let preparation = preparations[call.sql], preparation.types.count == call.types.count,
            zip(preparation.types, call.types).allSatisfy({ $1 == nil || $1 == $0 })
        else { return nil }
        return preparation.name
    }
}
