import BelfryStore
import CLibpq
import Foundation

/// One connection to the server, used by one thread at a time. libpq blocks that thread until the server has responded.
///
/// Statements that begin a transaction or a savepoint, and those that prepare a statement, are sent together with the
/// next statement, in one pipeline. So an ordinary call waits once for each of its statements, and once for its commit.
final class PostgresLink {
    /// Rows that are sent before their results are read: enough to hide the round trip.
    static let pipeline = 500

    let pointer: OpaquePointer
    private let roundTrips: RoundTrips
    private let placement: PostgresPlacement
    private let notices = PostgresNotices()
    /// Checks, while a call waits for the server, whether it is still the primary; nil: nothing checks.
    private var watched: WatchedLink?
    private let onStatement: (@Sendable (_ sql: SQLText) -> Void)?
    private var statements = PostgresStatements()
    /// True between the beginning of a transaction and its end.
    private var isUnderWay = false
    /// Calls that are sent together with the next statement, before it.
    private var ahead: [PostgresCall] = []
    /// Whether ``ahead`` contains a write that a body has made.
    private var hasWritesAhead = false
    /// Prepared statements that are no longer kept but still exist on the server.
    private var retired: [SQLText] = []
    /// The end of a transaction whose response has not been read.
    private var unread: PostgresPipeline?
    /// libpq and the server disagree about what comes next, so the connection cannot be used any more.
    private var isBroken = false
    /// The first error in the transaction under way; until its end the server does nothing more.
    private(set) var transactionError: PostgresError?
    /// Rows changed so far.
    var changes = 0
    /// The contacts that are held for its transactions.
    var locks = ContactLocks()

    /// - Parameters:
    ///   - order: the servers of the address that are asked; nil: all of them, in its order.
    ///   - roundTrips: counts how often the server's answer is waited for.
    ///   - placement: of its database.
    /// - Throws: ``PostgresError`` when nobody answers, or the server does not let us in.
    init(
        _ settings: [String: String], asking order: [Int]? = nil, counting roundTrips: RoundTrips = RoundTrips(),
        placement: PostgresPlacement = PostgresPlacement(), onStatement: (@Sendable (_ sql: SQLText) -> Void)? = nil
    ) throws {
        self.roundTrips = roundTrips
        self.placement = placement
        self.onStatement = onStatement
        pointer = try PostgresEntry.open(settings, asking: order)
        notices.listen(to: pointer)
    }

    deinit {
        PQfinish(pointer)
    }

    /// Sets the watch that checks, while a call waits for this server, whether another one has become the primary; nil
    /// ends it.
    func watch(by watch: PostgresWatch, as server: PostgresWatch.Server?) {
        watched = server.flatMap { server in
            SocketHold(socket).map { WatchedLink(watch: watch, server: server, socket: $0) }
        }
    }

    var isOpen: Bool { !isBroken && PQstatus(pointer) == CONNECTION_OK }
    var isInTransaction: Bool { !ahead.isEmpty || hasBegun }
    /// Whether the server has already received the beginning of the transaction.
    private var hasBegun: Bool { unread == nil && PQtransactionStatus(pointer) != PQTRANS_IDLE }
    /// Whether its server was given up: another one was the primary while it did not respond, or it did not respond to
    /// new connections.
    var isLeft: Bool { watched?.isLeft == true }
    /// Whether several servers hold its database together.
    var isDistributed: Bool { placement.isDistributed }
    var serverVersion: Int { Int(PQserverVersion(pointer)) }
    func parameter(_ name: String) -> String? { PQparameterStatus(pointer, name).map { String(cString: $0) } }

    /// The socket, for watching when notifications arrive.
    var socket: Int32 { PQsocket(pointer) }

    /// Reads what has arrived, without waiting; false when the connection is lost.
    func receive() -> Bool { PQconsumeInput(pointer) == 1 && isOpen }

    /// The text of the next notification that has arrived. Those that this connection sent itself are skipped.
    func nextNotification() -> String? {
        while let notification = PQnotifies(pointer) {
            defer { PQfreemem(notification) }
            guard notification.pointee.be_pid != PQbackendPID(pointer) else { continue }
            return String(cString: notification.pointee.extra)
        }
        return nil
    }

    /// Runs statements of the program's own, without arguments.
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

    /// Returns a function that cancels the statement under way. It may be called from any thread, as long as the
    /// connection exists.
    func cancellation() -> @Sendable () -> Void {
        let cancellation = PostgresCancellation(of: pointer)
        return { cancellation.send() }
    }

    /// Begins a transaction. The server receives this with the first statement.
    ///
    /// - Parameter settings: statements whose settings hold until the transaction ends.
    func begin(_ mode: SQLText, _ settings: [SQLText] = []) {
        transactionError = nil
        isUnderWay = true
        hasWritesAhead = false
        locks.beginTransaction()
        ahead = (["BEGIN \(mode)"] + settings).map { PostgresCall($0) }
    }

    /// Runs a statement together with the next one, before it; only for statements that cannot fail.
    func runAhead(_ call: PostgresCall) {
        ahead.append(call)
    }

    /// Runs a write before the next statement, or before the commit. An error is reported only then.
    func writeAhead(_ call: PostgresCall) throws {
        guard isUnderWay else {
            _ = try run(call)
            return
        }
        // The real number of changed rows is not known yet.
        changes += 1
        hasWritesAhead = true
        ahead.append(call)
        if ahead.count >= Self.pipeline { try noting { try exchange([]) } }
    }

    /// - Throws: ``PostgresError/commitLost`` when nobody can know whether it happened,
    ///   ``PostgresError/commitUnconfirmed`` when it may not outlive the server, and
    ///   ``PostgresError/ofShardCommit(after:)`` for a server of a cluster.
    func commit() throws {
        defer { isUnderWay = false }
        guard hasBegun || hasWritesAhead else {
            ahead = []
            if let transactionError { throw transactionError }
            return
        }
        // If the connection was lost before the transaction began, no commit is lost.
        if !hasBegun { try noting { try exchange([]) } }
        notices.forget()
        do {
            var status = ""
            try noting { try exchange([PostgresCall("COMMIT")]) { status = $0.status } }
            // The response to a commit of a transaction that has failed.
            guard status == "COMMIT" else {
                throw transactionError ?? PostgresError(code: "25P02", message: "the transaction was rolled back")
            }
            guard !notices.hasStoppedWaiting else { throw PostgresError.commitUnconfirmed }
        } catch let error as PostgresError where error.isLost {
            throw PostgresError.commitLost
        } catch let error as PostgresError where error.isOfShardCommit {
            throw PostgresError.ofShardCommit(after: notices.states)
        }
    }

    /// Ends a transaction that has changed nothing. The response is read only before the next call: whatever it is, the
    /// rows have been read.
    ///
    /// - Throws: the first error in the transaction.
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

    /// Undoes the transaction under way; a lost connection has none.
    func rollBack() {
        ahead = []
        isUnderWay = false
        if isOpen, hasBegun { _ = try? command("ROLLBACK") }
        transactionError = nil
    }

    /// Makes a savepoint. The server receives this with the next statement.
    func savepoint(_ name: SQLText) {
        ahead.append(PostgresCall("SAVEPOINT \(name)"))
    }

    /// Releases a savepoint, and keeps what was done since.
    ///
    /// - Throws: an error of statements that are sent only now.
    func release(_ savepoint: SQLText) throws {
        if ahead.last?.sql == "SAVEPOINT \(savepoint)" {
            ahead.removeLast()
        } else {
            ahead.append(PostgresCall("RELEASE SAVEPOINT \(savepoint)"))
        }
        if hasWritesAhead { try noting { try exchange([]) } }
    }

    /// Goes back to a savepoint; errors since then are forgotten.
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

    // MARK: Round trips

    /// Sends calls together, after those that wait to be sent, and reads their results in order.
    ///
    /// - Throws: the first failure. Later calls were not run.
    func exchange(_ calls: [PostgresCall], _ take: (PostgresResult) -> Void = { _ in }) throws {
        try waiting {
            try readUnread()
            // The transaction could not begin, and nothing may run outside of it.
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
            // The calls that were already sent have results to read.
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

    /// The name of the prepared statement of a call. If there is none, the statement is prepared in the same pipeline.
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

    /// Reads all results, also after a failure, so that the connection can be used again.
    private func receive(_ pipeline: PostgresPipeline, _ take: (PostgresResult) -> Void) throws {
        var failure = pipeline.failure
        for answer in pipeline.answers where failure?.isLost != true {
            do {
                let result = try PostgresResult(PQgetResult(pointer), of: pointer)
                try heed(answer, result, take)
            } catch let error as PostgresError {
                // Calls after the first failure were not run.
                failure = failure ?? error
                if error.isLost { break }
            }
            // A null marks the end of each call's results.
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
        // Nothing follows the server's last message, so check the connection.
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

    /// Reads the response that no caller waited for. Only a lost connection matters now.
    private func readUnread() throws {
        guard let pipeline = unread else { return }
        unread = nil
        do {
            try receive(pipeline) { _ in }
        } catch let error as PostgresError where !error.isLost {}
        if hasBegun { isBroken = true }
    }

    /// Records the first error, after which the server does nothing more in this transaction.
    func noting<Output>(_ body: () throws -> Output) throws -> Output {
        do {
            return try body()
        } catch let error as PostgresError {
            // Errors that the client itself detected have not reached the server.
            if error.isLost || PQtransactionStatus(pointer) == PQTRANS_INERROR || (isUnderWay && !isInTransaction) {
                transactionError = transactionError ?? error
            }
            throw error
        }
    }
}
