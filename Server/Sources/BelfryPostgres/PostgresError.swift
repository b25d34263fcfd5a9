import BelfryStore
import CLibpq

/// An error of the server, or of the connection to it.
struct PostgresError: Error, Hashable {
    /// SQLSTATE; a code of our own for libpq's own errors.
    let code: String
    /// The first line of the server's message: the others may repeat values that a user sent.
    let message: String
    /// The connection was lost before a commit was sent.
    var isLost = false

    /// The connection was lost during a commit: it is unknown whether the commit happened.
    static let commitLost = PostgresError(
        code: "08007", message: "the connection was lost during a commit, which may have succeeded"
    )
    /// The server has committed, but an operator has ended its wait for the standby, which may be the next primary.
    static let commitUnconfirmed = PostgresError(
        code: "08007", message: "the wait for a standby was ended: the commit is lost if this server is"
    )
    /// A server of a cluster did not say that it has committed.
    private static let shardCommitLost = PostgresError(
        code: "08007", message: "a server of the cluster did not confirm a commit, which may have succeeded"
    )
    /// Two transactions on one server of a cluster stood in each other's way, as it has found out at the commit.
    private static let shardConflict = PostgresError(
        code: "40001", message: "a server of the cluster could not serialize a transaction, and has undone it"
    )
    /// Neither who waits for the server nor who comes anew gets an answer.
    static let silent = PostgresError(code: "08006", message: "the server does not answer", isLost: true)
    /// The locks that a transaction needs were gone before it began.
    static let locksLost = PostgresError(
        code: "08006", message: "the connection was lost, and with it its locks", isLost: true
    )
    static let standby = PostgresError(code: "25006", message: "the server is a standby, which takes no writes")
    static let closed = PostgresError(code: "57P03", message: "the database is closed")

    /// Citus says that a commit failed on a server of the cluster, whatever the reason.
    var isOfShardCommit: Bool {
        code == "XX000" && message.utf8.starts(with: "could not commit transaction for shard".utf8)
    }

    /// What a commit has met that failed on a server of the cluster: of one server alone Citus asks a commit without a
    /// preparation, and its own error does not tell a server that refused from one that died.
    ///
    /// - Parameter states: of what was remarked meanwhile. Where the server refused there is its reason.
    static func ofShardCommit(after states: Set<String>) -> PostgresError {
        // Beside the reason Citus remarks that it failed.
        let reasons = states.subtracting(["01000"])
        let isConflict = !reasons.isEmpty && reasons.isSubset(of: ["40001", "40P01"])
        return isConflict ? shardConflict : shardCommitLost
    }

    /// Of other transactions: the same may succeed at once, since theirs have ended.
    var isConflict: Bool {
        // Serialization failure, deadlock, lock not available.
        ["40001", "40P01", "55P03"].contains(code)
    }

    /// A row with this key, or a column with this name, already exists.
    var isKeyTaken: Bool { ["23505", "42701"].contains(code) }

    /// The server cannot do it now: no connection, no space, shutting down, too slow, a standby.
    var isPassing: Bool {
        isLost || isConflict || ["25006", "57014"].contains(code)
            || ["08", "40", "53", "55", "57", "58"].contains { code.hasPrefix($0) }
    }

    /// The error does not depend on the write that got it, however often the write has run.
    var isOfAll: Bool { isConflict || isLost || isReadOnly }

    /// The server takes no writes: it is a standby, or is set to read-only.
    var isReadOnly: Bool { code == "25006" }

    /// The server's disk is full.
    var isFull: Bool { code == "53100" }

    /// The server cannot read its own files: data, or an index.
    var isDamage: Bool { ["XX001", "XX002"].contains(code) }

    /// TLS was not available, or the certificate was not valid; libpq has no code for this.
    var isOfTLS: Bool { isLost && (message.contains("SSL") || message.contains("certificate")) }

    /// The value breaks a constraint of the table or of its type, or is too large for an index.
    var isRejection: Bool {
        ["22", "23", "54"].contains { code.hasPrefix($0) }
    }
}

extension PostgresError: CustomStringConvertible {
    var description: String { "PostgreSQL \(code): \(message)" }
}

extension PostgresError {
    /// The error of a failed statement.
    init(result: OpaquePointer?, link: OpaquePointer) {
        let isLost = PQstatus(link) != CONNECTION_OK
        let code = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
        let primary = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
        self.init(
            code: code ?? (isLost ? "08006" : "XX000"), message: primary ?? Self.complaint(of: link), isLost: isLost
        )
    }

    /// libpq's message about a connection, on one line. It names the host, never the password.
    static func complaint(of link: OpaquePointer) -> String {
        String(cString: PQerrorMessage(link)).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

extension StoreError {
    /// Maps PostgreSQL's errors to those that the layers above act on; any other error stays unchanged.
    static func mapped(postgres error: any Error) -> any Error {
        guard let error = error as? PostgresError else { return error }
        if error.isFull { return StoreError.full(reason: error.description) }
        if error.isPassing { return StoreError.tryAgain(reason: error.description) }
        if error.isDamage { return StoreError.damaged(reason: error.description) }
        if error.isRejection { return StoreError.rejected(reason: error.description) }
        return error
    }
}
