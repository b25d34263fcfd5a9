import BelfryStore
import CLibpq
import Foundation

/// One connection to the server, used by one thread at a time. libpq blocks that thread until the server has answered.
///
/// What can wait goes out with the next statement, in one pipeline: what begins a transaction or a savepoint, and the
/// preparation of a statement. So an ordinary call waits once for each of its statements, and once for its commit.
final class PostgresLink {
    /// Rows that are sent before their results are read: enough to hide the way there and back.
    static let pipeline = 500

    let pointer: OpaquePointer
    private let roundTrips: RoundTrips
    private let notices = PostgresNotices()
    /// Who looks whether the server that it waits for still leads; nil: nobody.
    private var watched: WatchedLink?
    private let onStatement: (@Sendable (_ sql: SQLText) -> Void)?
    private var statements = PostgresStatements()
    /// Between the beginning of a transaction and its end.
    private var isUnderWay = false
    /// What goes out before the next statement and with it.
    private var ahead: [PostgresCall] = []
    /// Whether something of it is a write that a body has made.
    private var hasWritesAhead = false
    /// Prepared statements that are kept no more, and that the server still has.
    private var retired: [SQLText] = []
    /// The end of a transaction that nobody waited for: its answer has not been read.
    private var unread: PostgresPipeline?
    /// libpq and the server do not agree any more about what comes next.
    private var isBroken = false
    /// What the server refused first in the transaction under way: until its end it does nothing more.
    private(set) var transactionError: PostgresError?
    /// Rows that were changed so far.
    var changes = 0

    /// - Parameters:
    ///   - order: the servers of the address that are asked; nil: all of them, in its order.
    ///   - roundTrips: counts how often the server's answer is waited for.
    /// - Throws: ``PostgresError`` when nobody answers, or the server does not let us in.
    init(
        _ settings: [String: String], asking order: [Int]? = nil, counting roundTrips: RoundTrips = RoundTrips(),
        onStatement: (@Sendable (_ sql: SQLText) -> Void)? = nil
    ) throws {
        self.roundTrips = roundTrips
        self.onStatement = onStatement
        pointer = try PostgresEntry.open(settings, asking: order)
        notices.listen(to: pointer)
    }

    deinit {
        PQfinish(pointer)
    }

    /// From now on somebody looks, while it waits for this server, whether another one leads; nil: nobody does any more.
    func watch(by watch: PostgresWatch, as server: PostgresWatch.Server?) {
        watched = server.flatMap { server in
            SocketHold(socket).map { WatchedLink(watch: watch, server: server, socket: $0) }
        }
    }

    var isOpen: Bool { !isBroken && PQstatus(pointer) == CONNECTION_OK }
    var isInTransaction: Bool { !ahead.isEmpty || hasBegun }
    /// Whether the server knows of the transaction under way.
    private var hasBegun: Bool { unread == nil && PQtransactionStatus(pointer) != PQTRANS_IDLE }
    /// Whether its server was left: another one took the writes when it was silent, or it has answered nobody.
    var isLeft: Bool { watched?.isLeft == true }
    var serverVersion: Int { Int(PQserverVersion(pointer)) }
    func parameter(_ name: String) -> String? { PQparameterStatus(pointer, name).map { String(cString: $0) } }

    /// Where something arrives by itself.
    var socket: Int32 { PQsocket(pointer) }

    /// Takes in what has arrived by itself, without waiting; false when the connection is lost.
    func receive() -> Bool { PQconsumeInput(pointer) == 1 && isOpen }

    /// The text of the next notification that has arrived, but for those that this connection sent itself.
    func nextNotification() -> String? {
        while let notification = PQnotifies(pointer) {
            defer { PQfreemem(notification) }
            guard notification.pointee.be_pid != PQbackendPID(pointer) else { continue }
            return String(cString: notification.pointee.extra)
        }
        return nil
    }

    /// Runs statements of our own, without arguments.
    @discardableResult
    func command(_ sql: SQLText) throws -> PostgresResult {
        try noting {
            try waiting {
                try readUnread()
                if !ahead.isEmpty { try exchange([]) }
                roundTrips.add()
                return try PostgresResult(PQexec(pointer, sql.statement), of: pointer)
            }
        }
    }

    /// What ends the statement under way, from any thread and as long as the connection is there.
    func cancellation() -> @Sendable () -> Void {
        let cancellation = PostgresCancellation(of: pointer)
        return { cancellation.send() }
    }

    /// Begins a transaction, which the server hears of with its first statement.
    ///
    /// - Parameter settings: what holds until its end.
    func begin(_ mode: SQLText, _ settings: [SQLText] = []) {
        transactionError = nil
        isUnderWay = true
        hasWritesAhead = false
        ahead = (["BEGIN \(mode)"] + settings).map { PostgresCall($0) }
    }

    /// Runs a statement before the next one; for those that the server does not refuse.
    func runAhead(_ call: PostgresCall) {
        ahead.append(call)
    }

    /// Runs a write before the next statement, or before the commit. The server may refuse it then.
    func writeAhead(_ call: PostgresCall) throws {
        guard isUnderWay else {
            _ = try run(call)
            return
        }
        // Nobody knows yet how many.
        changes += 1
        hasWritesAhead = true
        ahead.append(call)
        if ahead.count >= Self.pipeline { try noting { try exchange([]) } }
    }

    /// - Throws: ``PostgresError/commitLost`` when nobody can know whether it happened, and
    ///   ``PostgresError/commitUnconfirmed`` when it may not outlive the server.
    func commit() throws {
        defer { isUnderWay = false }
        guard hasBegun || hasWritesAhead else {
            ahead = []
            if let transactionError { throw transactionError }
            return
        }
        // A connection that was lost before the transaction began has lost no commit.
        if !hasBegun { try noting { try exchange([]) } }
        notices.forget()
        do {
            var status = ""
            try noting { try exchange([PostgresCall("COMMIT")]) { status = $0.status } }
            // The answer to a commit of what has failed before.
            guard status == "COMMIT" else {
                throw transactionError ?? PostgresError(code: "25P02", message: "the transaction was rolled back")
            }
            guard !notices.hasStoppedWaiting else { throw PostgresError.commitUnconfirmed }
        } catch let error as PostgresError where error.isLost {
            throw PostgresError.commitLost
        }
    }

    /// Ends a transaction that has changed nothing. The server is told, and its answer is read before the next call:
    /// what was read was read, whatever the answer is.
    ///
    /// - Throws: what the server has refused meanwhile.
    func endReading() throws {
        defer { isUnderWay = false }
        ahead = []
        if let transactionError { throw transactionError }
        guard hasBegun else { return }
        do {
            unread = try send([PostgresCall("COMMIT")])
        } catch {
            isBroken = true
        }
    }

    /// Undoes what is under way; a connection that is lost has nothing under way.
    func rollBack() {
        ahead = []
        isUnderWay = false
        if isOpen, hasBegun { _ = try? command("ROLLBACK") }
        transactionError = nil
    }

    /// Makes a savepoint, which the server hears of with the next statement.
    func savepoint(_ name: SQLText) {
        ahead.append(PostgresCall("SAVEPOINT \(name)"))
    }

    /// Forgets a savepoint, and keeps what was done since.
    ///
    /// - Throws: what the server refuses of that only now.
    func release(_ savepoint: SQLText) throws {
        if ahead.last?.sql == "SAVEPOINT \(savepoint)" {
            ahead.removeLast()
        } else {
            ahead.append(PostgresCall("RELEASE SAVEPOINT \(savepoint)"))
        }
        if hasWritesAhead { try noting { try exchange([]) } }
    }

    /// Goes back to a savepoint: what the server refused since is forgotten.
    func rollBack(to savepoint: SQLText) throws {
        if let place = ahead.lastIndex(where: { $0.sql == "SAVEPOINT \(savepoint)" }) {
            ahead.removeSubrange(place...)
            return
        }
        ahead = []
        try command("ROLLBACK TO SAVEPOINT \(savepoint)")
        transactionError = nil
    }

    func run(_ sql: SQLText, _ arguments: [SQLValue]) throws -> PostgresResult {
        try run(PostgresCall(sql, arguments))
    }

    func run(_ call: PostgresCall) throws -> PostgresResult {
        try noting {
            var result: PostgresResult?
            try exchange([call]) { result = $0 }
            guard let result else { throw PostgresError(result: nil, link: pointer) }
            changes += result.changes
            return result
        }
    }

    // MARK: There and back

    /// Sends calls together, behind what waits to go out, and reads what they gave, in their order.
    ///
    /// - Throws: the first failure. What stands behind it was not run.
    func exchange(_ calls: [PostgresCall], _ take: (PostgresResult) -> Void = { _ in }) throws {
        try waiting {
            try readUnread()
            // A transaction that could not begin: outside of it nothing is to happen.
            if isUnderWay, ahead.isEmpty, !hasBegun, let transactionError { throw transactionError }
            let sent = try send(calls)
            roundTrips.add()
            try receive(sent, take)
        }
    }

    private func waiting<Output>(_ body: () throws -> Output) rethrows -> Output {
        guard let watched else { return try body() }
        return try watched.during(body)
    }

    private func send(_ calls: [PostgresCall]) throws -> PostgresPipeline {
        guard PQenterPipelineMode(pointer) == 1 else { throw PostgresError(result: nil, link: pointer) }
        var pipeline = PostgresPipeline()
        do {
            for call in ahead { try put(call, .word, into: &pipeline) }
            for name in retired { try putEnd(of: name, into: &pipeline) }
            for call in calls { try put(call, .result, into: &pipeline) }
        } catch let error as PostgresError {
            // What is on its way already has answers.
            pipeline.failure = error
        }
        ahead = []
        hasWritesAhead = false
        guard PQpipelineSync(pointer) == 1 else {
            isBroken = true
            throw PostgresError(result: nil, link: pointer)
        }
        return pipeline
    }

    private func put(
        _ call: PostgresCall, _ answer: PostgresPipeline.Answer, into pipeline: inout PostgresPipeline
    ) throws {
        onStatement?(call.asked)
        let sent: Int32
        if call.sql.statement.utf8.count > PostgresStatements.maximumKeptLength {
            let spelled = PostgresSQL.spelled(call.sql.statement)
            let types = call.types.map { $0 ?? PostgresType.unknown }
            sent = call.arguments.withPointers { PQsendQueryParams(pointer, spelled, $0, types, $1, $2, $3, 0) }
        } else {
            let name = try prepared(call, in: &pipeline)
            sent = call.arguments.withPointers { PQsendQueryPrepared(pointer, name.statement, $0, $1, $2, $3, 0) }
        }
        guard sent == 1 else { throw PostgresError(result: nil, link: pointer) }
        pipeline.answers.append(answer)
    }

    private func putEnd(of name: SQLText, into pipeline: inout PostgresPipeline) throws {
        let sql: SQLText = "DEALLOCATE \(name)"
        guard PQsendQueryParams(pointer, sql.statement, 0, nil, nil, nil, nil, 0) == 1 else {
            throw PostgresError(result: nil, link: pointer)
        }
        pipeline.answers.append(.ended(name))
    }

    /// The name of the prepared statement of a call. When there is none, it is prepared on the way.
    private func prepared(_ call: PostgresCall, in pipeline: inout PostgresPipeline) throws -> SQLText {
        if let statement = statements.find(call.sql, call.types) { return statement.name }
        if let name = pipeline.prepared(call) { return name }
        let name = statements.newName()
        let declared = statements.types(call.sql, call.types)
        let spelled = PostgresSQL.spelled(call.sql.statement)
        guard PQsendPrepare(pointer, name.statement, spelled, Int32(declared.count), declared) == 1 else {
            throw PostgresError(result: nil, link: pointer)
        }
        pipeline.answers.append(.word)
        guard PQsendDescribePrepared(pointer, name.statement) == 1 else {
            throw PostgresError(result: nil, link: pointer)
        }
        pipeline.note(call.sql, name: name, declared)
        return name
    }

    /// Reads all answers, also behind a failure, so that the connection is of use again.
    private func receive(_ pipeline: PostgresPipeline, _ take: (PostgresResult) -> Void) throws {
        var failure = pipeline.failure
        for answer in pipeline.answers where failure?.isLost != true {
            do {
                let result = try PostgresResult(PQgetResult(pointer), of: pointer)
                try heed(answer, result, take)
            } catch let error as PostgresError {
                // Those behind the first failure were not run.
                failure = failure ?? error
                if error.isLost { break }
            }
            // A null ends the results of each.
            PQclear(PQgetResult(pointer))
        }
        if PQstatus(pointer) == CONNECTION_OK {
            do {
                _ = try PostgresResult(PQgetResult(pointer), of: pointer)
            } catch let error as PostgresError {
                failure = failure ?? error
            }
        }
        if PQexitPipelineMode(pointer) != 1 { isBroken = true }
        guard var failure else { return }
        // What the server says last is followed by nothing.
        failure.isLost = failure.isLost || PQstatus(pointer) != CONNECTION_OK
        throw failure
    }

    private func heed(
        _ answer: PostgresPipeline.Answer, _ result: PostgresResult, _ take: (PostgresResult) -> Void
    ) throws {
        switch answer {
        case .word: break
        case .ended(let name): retired.removeAll { $0 == name }
        case .described(let sql, let name, let count):
            let types = result.argumentTypes
            guard types.count == count else {
                retired.append(name)
                throw PostgresError(
                    code: "07001", message: "the statement has \(types.count) parameters, not \(count)"
                )
            }
            retired += statements.keep(sql, name: name, types: types)
        case .result: take(result)
        }
    }

    /// Reads what nobody waited for. Only that the connection is lost concerns anybody now.
    private func readUnread() throws {
        guard let pipeline = unread else { return }
        unread = nil
        do {
            try receive(pipeline) { _ in }
        } catch let error as PostgresError where !error.isLost {}
        if hasBegun { isBroken = true }
    }

    /// Remembers the first error, after which the server does nothing more in this transaction.
    func noting<Output>(_ body: () throws -> Output) throws -> Output {
        do {
            return try body()
        } catch let error as PostgresError {
            // What we found out ourselves has not reached the server.
            if error.isLost || PQtransactionStatus(pointer) == PQTRANS_INERROR || (isUnderWay && !isInTransaction) {
                transactionError = transactionError ?? error
            }
            throw error
        }
    }
}
