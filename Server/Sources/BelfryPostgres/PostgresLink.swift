import BelfryStore
import CLibpq
import Foundation

/// One connection to the server, used by one thread at a time. libpq blocks that thread until the server has answered.
final class PostgresLink {
    /// Rows that are sent before their results are read: enough to hide the way there and back.
    private static let pipeline = 500

    private let pointer: OpaquePointer
    private var statements = PostgresStatements()
    /// What the server refused first in the transaction under way: until its end it does nothing more.
    private(set) var transactionError: PostgresError?
    /// Rows that were changed so far.
    private(set) var changes = 0

    /// - Throws: ``PostgresError`` when nobody answers, or the server does not let us in.
    init(_ settings: [String: String]) throws {
        let bundle = ServerVerification.bundle(environment: ProcessInfo.processInfo.environment) {
            FileManager.default.fileExists(atPath: $0)
        }
        let asked = ServerVerification.completed(settings, bundle: bundle)
        let pairs = Self.completed(asked).sorted { $0.key < $1.key }
        let keywords = pairs.map { strdup($0.key) } + [nil]
        let values = pairs.map { strdup($0.value) } + [nil]
        defer { for text in keywords + values { free(text) } }
        let opened = keywords.map { UnsafePointer<CChar>($0) }.withUnsafeBufferPointer { keywords in
            values.map { UnsafePointer<CChar>($0) }.withUnsafeBufferPointer { values in
                PQconnectdbParams(keywords.baseAddress, values.baseAddress, 0)
            }
        }
        guard let opened else { throw PostgresError(code: "53200", message: "no memory for a connection") }
        guard PQstatus(opened) == CONNECTION_OK else {
            let message = PostgresError.complaint(of: opened)
            PQfinish(opened)
            throw PostgresError(code: "08001", message: message, isLost: true)
        }
        pointer = opened
        // Otherwise it writes to standard error by itself.
        PQsetNoticeProcessor(opened, { _, _ in }, nil)
    }

    deinit {
        PQfinish(pointer)
    }

    /// What we ask of every connection, where the address does not say otherwise. A server that is gone is noticed
    /// within half a minute, even when the network swallows what is sent.
    private static func completed(_ settings: [String: String]) -> [String: String] {
        let ours = [
            "application_name": "belfry", "client_encoding": "UTF8", "connect_timeout": "5", "keepalives_idle": "15",
            "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "30000",
        ]
        return settings.merging(ours) { given, ours in given.isEmpty ? ours : given }
            .merging(["client_encoding": "UTF8"]) { $1 }
    }

    var isOpen: Bool { PQstatus(pointer) == CONNECTION_OK }
    var isInTransaction: Bool { PQtransactionStatus(pointer) != PQTRANS_IDLE }
    var serverVersion: Int { Int(PQserverVersion(pointer)) }
    func parameter(_ name: String) -> String? { PQparameterStatus(pointer, name).map { String(cString: $0) } }

    /// Runs statements of our own, without arguments.
    @discardableResult
    func command(_ sql: SQLText) throws -> PostgresResult {
        try noting { try PostgresResult(PQexec(pointer, sql.statement), of: pointer) }
    }

    /// What ends the statement under way, from any thread and as long as the connection is there.
    func cancellation() -> @Sendable () -> Void {
        let cancellation = PostgresCancellation(of: pointer)
        return { cancellation.send() }
    }

    func begin(_ mode: SQLText) throws {
        transactionError = nil
        try command("BEGIN \(mode)")
    }

    /// - Throws: ``PostgresError/commitLost`` when nobody can know whether it happened.
    func commit() throws {
        do {
            let result = try command("COMMIT")
            // The answer to a commit of what has failed before.
            guard result.status == "COMMIT" else {
                throw transactionError ?? PostgresError(code: "25P02", message: "the transaction was rolled back")
            }
        } catch let error as PostgresError where error.isLost {
            throw PostgresError.commitLost
        }
    }

    /// Undoes what is under way; a connection that is lost has nothing under way.
    func rollBack() {
        if isOpen, isInTransaction { _ = try? command("ROLLBACK") }
        transactionError = nil
    }

    /// Goes back to a savepoint: what the server refused since is forgotten.
    func rollBack(to savepoint: SQLText) throws {
        try command("ROLLBACK TO SAVEPOINT \(savepoint)")
        transactionError = nil
    }

    func run(_ sql: SQLText, _ arguments: [SQLValue]) throws -> PostgresResult {
        let encoded = try PostgresArguments(arguments)
        return try noting {
            let result: OpaquePointer?
            if sql.statement.utf8.count > PostgresStatements.maximumKeptLength {
                let spelled = PostgresSQL.spelled(sql.statement)
                let types = arguments.map { PostgresType.of($0) ?? PostgresType.unknown }
                result = encoded.withPointers { PQexecParams(pointer, spelled, $0, types, $1, $2, $3, 0) }
            } else {
                let name = try prepared(sql, arguments.map { PostgresType.of($0) })
                result = encoded.withPointers { PQexecPrepared(pointer, name.statement, $0, $1, $2, $3, 0) }
            }
            let run = try PostgresResult(result, of: pointer)
            changes += run.changes
            return run
        }
    }

    /// Runs one statement for each row; many are on their way at once. Returns how many rows were changed together.
    func runEach(_ sql: SQLText, _ rows: [[SQLValue]]) throws -> Int {
        var changed = 0
        var position = 0
        while position < rows.count {
            let chunk = rows[position..<min(position + Self.pipeline, rows.count)]
            if let types = PostgresType.common(chunk) {
                let arguments = try chunk.map { try PostgresArguments($0) }
                let written = try noting { try send(sql, types, arguments) }
                changes += written
                changed += written
            } else {
                for row in chunk { changed += try run(sql, row).changes }
            }
            position += chunk.count
        }
        return changed
    }

    private func send(_ sql: SQLText, _ types: [UInt32?], _ rows: [PostgresArguments]) throws -> Int {
        // Before the others are on their way, for preparing waits for its answer.
        let name = try prepared(sql, types)
        guard PQenterPipelineMode(pointer) == 1 else { throw PostgresError(result: nil, link: pointer) }
        defer { PQexitPipelineMode(pointer) }
        for row in rows {
            let sent = row.withPointers { PQsendQueryPrepared(pointer, name.statement, $0, $1, $2, $3, 0) }
            guard sent == 1 else { throw PostgresError(result: nil, link: pointer) }
        }
        guard PQpipelineSync(pointer) == 1 else { throw PostgresError(result: nil, link: pointer) }
        var changed = 0
        var failure: PostgresError?
        for _ in rows {
            do {
                changed += try PostgresResult(PQgetResult(pointer), of: pointer).changes
            } catch let error as PostgresError {
                // Those behind the first failure were not run.
                failure = failure ?? error
                if error.isLost { throw error }
            }
            // A null ends the results of each.
            _ = PQgetResult(pointer)
        }
        _ = try PostgresResult(PQgetResult(pointer), of: pointer)
        if let failure { throw failure }
        return changed
    }

    /// The name of the prepared statement for arguments of these types.
    private func prepared(_ sql: SQLText, _ types: [UInt32?]) throws -> SQLText {
        if let statement = statements.find(sql, types) { return statement.name }
        let name = statements.newName()
        let declared = statements.types(sql, types)
        _ = try PostgresResult(
            PQprepare(pointer, name.statement, PostgresSQL.spelled(sql.statement), Int32(declared.count), declared),
            of: pointer
        )
        let found = try PostgresResult(PQdescribePrepared(pointer, name.statement), of: pointer).argumentTypes
        guard found.count == types.count else {
            throw PostgresError(
                code: "07001", message: "the statement has \(found.count) parameters, not \(types.count)"
            )
        }
        for gone in statements.keep(sql, name: name, types: found) {
            let end: SQLText = "DEALLOCATE \(gone)"
            _ = try PostgresResult(PQexec(pointer, end.statement), of: pointer)
        }
        return name
    }

    /// Remembers the first error, after which the server does nothing more in this transaction.
    private func noting<Output>(_ body: () throws -> Output) throws -> Output {
        do {
            return try body()
        } catch let error as PostgresError {
            // What we found out ourselves has not reached the server.
            if error.isLost || PQtransactionStatus(pointer) == PQTRANS_INERROR {
                transactionError = transactionError ?? error
            }
            throw error
        }
    }
}

/// Asks the server to end what a connection has it do.
// What libpq makes for this is read by nobody but PQcancel, which may be called on any thread.
final class PostgresCancellation: @unchecked Sendable {
    private let pointer: OpaquePointer?

    /// - Parameter link: one that is open.
    init(of link: OpaquePointer) {
        pointer = PQgetCancel(link)
    }

    deinit {
        PQfreeCancel(pointer)
    }

    /// Returns when the server was told. One that cannot be reached ends the statement by its time limit.
    func send() {
        var complaint = [CChar](repeating: 0, count: 256)
        PQcancel(pointer, &complaint, Int32(complaint.count))
    }
}
