import BelfryStore
import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// Connections for questions only, so that no other read waits for one. There are as many as questions may run at the
/// same time, each with a thread of its own.
final class QuestionReaders: Sendable {
    private struct Reader: Sendable {
        let connection: DatabaseQueue
        let watch: QuestionWatch
        let queue: DispatchQueue
    }

    private let readers: [Reader]
    private let background: JobQueue
    /// The indexes of the connections that are not in use.
    private let idle: Mutex<[Int]>

    /// - Parameters:
    ///   - path: the path of a file that another connection has opened for writing.
    ///   - limits: say how many connections there are.
    init(path: String, _ limits: QuestionLimits) throws {
        readers = try (0..<limits.most).map { number in
            let watch = QuestionWatch(letOthersRun: limits.letOthersRun)
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(1)
            configuration.allowsUnsafeTransactions = true
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA temp_store = MEMORY")
                watch.watch(database)
            }
            return Reader(
                connection: try DatabaseQueue(path: path, configuration: configuration), watch: watch,
                queue: DispatchQueue(label: "belfry.question.\(number)")
            )
        }
        background = limits.background
        idle = Mutex(Array(0..<limits.most))
    }

    func close() throws {
        for reader in readers { try reader.connection.close() }
    }

    func answer<Output: Sendable>(
        _ question: Question, _ run: QuestionRun,
        _ body: @escaping @Sendable (PredicateConnection) throws -> Output,
        _ completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        guard let number = idle.withLock({ $0.popLast() }) else {
            return completion(.failure(StoreError.crowded))
        }
        let reader = readers[number]
        let queue = question == .rehearsing ? background : JobQueue { reader.queue.async(execute: $0) }
        queue.run { [self] in
            let result = Result { try Self.read(question, run, body, with: reader) }
            idle.withLock { $0.append(number) }
            completion(result)
        }
    }

    private static func read<Output>(
        _ question: Question, _ run: QuestionRun, _ body: (PredicateConnection) throws -> Output, with reader: Reader
    ) throws -> Output {
        run.begin()
        return try reader.connection.unsafeRead { database in
            try SQLiteConnection(database: database).reading { _ in
                // The statements that begin and end the transaction must never be interrupted.
                reader.watch.begin(run, of: question)
                defer { reader.watch.end() }
                let connection = SQLiteQuestionConnection(
                    base: SQLiteConnection(database: database), run: run
                )
                return try connection.mappingErrors { try body(PredicateConnection(lentBy: connection)) }
            }
        }
    }
}

/// Ends the statement of a question that is over, and makes a long one yield to others.
private final class QuestionWatch: Sendable {
    /// Steps of SQLite's virtual machine between two checks: a fraction of a millisecond.
    private static let steps: Int32 = 1_000
    private struct UnderWay {
        let run: QuestionRun
        /// Checks between two moments at which it yields to others; nil: it never does.
        let looksAlone: Int?
        var looks = 0
    }

    private let letOthersRun: (@Sendable () -> Void)?
    /// The question that runs on the connection.
    private let underWay = Mutex<UnderWay?>(nil)

    init(letOthersRun: (@Sendable () -> Void)?) {
        self.letOthersRun = letOthersRun
    }

    func begin(_ run: QuestionRun, of question: Question) {
        underWay.withLock { $0 = UnderWay(run: run, looksAlone: question.looksAlone) }
    }

    func end() {
        underWay.withLock { $0 = nil }
    }

    /// Watches the statements of a connection. The connection must not outlive this object.
    func watch(_ database: GRDB.Database) {
        sqlite3_progress_handler(
            database.sqliteConnection, Self.steps,
            { watch in
                guard let watch else { return 0 }
                return Unmanaged<QuestionWatch>.fromOpaque(watch).takeUnretainedValue().look() ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// - Returns: whether the statement is to end.
    private func look() -> Bool {
        let (run, isTime) = underWay.withLock { underWay -> (QuestionRun?, Bool) in
            guard var now = underWay else { return (nil, false) }
            now.looks += 1
            underWay = now
            return (now.run, now.looksAlone.map { now.looks.isMultiple(of: $0) } ?? false)
        }
        if isTime { letOthersRun?() }
        return run?.isOver == true
    }
}

extension Question {
    /// A caller waits for a count while other calls are served, so a count yields every half a millisecond or so; nil:
    /// never. A rehearsal has a thread that disturbs nothing.
    fileprivate var looksAlone: Int? {
        switch self {
        case .counting, .spareCounting: 32
        case .explaining, .looking, .planning, .rehearsing: nil
        }
    }
}

/// The connection of a question.
struct SQLiteQuestionConnection: BudgetedConnection {
    let base: SQLiteConnection
    let run: QuestionRun

    var dialect: any Dialect { base.dialect }
    var spent: Double { run.spent }

    func execute(_ sql: SQLText, _ arguments: [SQLValue]) throws -> Int {
        try check()
        return try base.execute(sql, arguments)
    }

    func executeEach(_ sql: SQLText, _ rows: [[SQLValue]]) throws -> Int {
        try check()
        return try base.executeEach(sql, rows)
    }

    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], _ map: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        try check()
        return try base.query(sql, arguments, map)
    }

    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], texts: [Int], in room: inout ByteRoom,
        _ map: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        try check()
        return try base.query(sql, arguments, texts: texts, in: &room, map)
    }

    func scanning<Output>(_ body: () throws -> Output) throws -> Output {
        try base.scanning(body)
    }

    func spending<Output>(_ share: Double, _ body: () throws -> Output) throws -> Output {
        try run.spending(share) { try mappingErrors(body) }
    }

    /// Checks the budget between statements: the watch never looks at a short one.
    private func check() throws {
        if run.isOver { throw run.error }
    }

    fileprivate func mappingErrors<Output>(_ body: () throws -> Output) throws -> Output {
        do {
            return try body()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            throw run.error
        }
    }
}
