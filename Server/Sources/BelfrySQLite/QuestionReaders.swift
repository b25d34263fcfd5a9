import BelfryStore
import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// Connections for questions alone, so that whoever reads anything else never waits for one. As many as the lane lets
/// through at once, each with a thread of its own.
final class QuestionReaders: Sendable {
    private struct Reader: Sendable {
        let connection: DatabaseQueue
        let watch: QuestionWatch
        let queue: DispatchQueue
    }

    private let readers: [Reader]
    private let background: JobQueue
    /// The numbers of those that nobody uses.
    private let idle: Mutex<[Int]>

    /// - Parameters:
    ///   - path: of a file that another connection has opened to write.
    ///   - limits: say how many there are.
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
                // What begins and ends the transaction is never interrupted.
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

/// Ends the statement of a question that is over, and has a long one let others run.
private final class QuestionWatch: Sendable {
    /// Steps of SQLite's machine between two looks at it: a fraction of a millisecond.
    private static let steps: Int32 = 1_000
    private struct UnderWay {
        let run: QuestionRun
        /// Looks between two moments at which it lets others run; nil: it never does.
        let looksAlone: Int?
        var looks = 0
    }

    private let letOthersRun: (@Sendable () -> Void)?
    /// The question under way on the connection.
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

    /// The connection must not outlive it.
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
    /// Of a count, for which somebody waits while others open pages and devices call: how often it lets them run, some
    /// half a millisecond; nil: never. A rehearsal runs where it is in nobody's way.
    fileprivate var looksAlone: Int? {
        switch self {
        case .counting, .spareCounting: 32
        case .explaining, .looking, .planning, .rehearsing: nil
        }
    }
}

/// A connection that a question has.
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

    /// Many statements that are short each are looked at by nobody else.
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
