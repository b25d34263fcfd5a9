import BelfryStore
import CLibpq

/// What the server, or the connection to it, has said.
struct PostgresError: Error, Hashable {
    /// SQLSTATE; of its own kind where libpq itself speaks.
    let code: String
    /// The server's first line: the rest may repeat values that somebody sent.
    let message: String
    /// The connection was lost before anything was committed.
    var isLost = false

    /// A commit was under way when the connection was lost: nobody knows whether it happened.
    static let commitLost = PostgresError(
        code: "08007", message: "the connection was lost during a commit, which may have succeeded"
    )
    /// The server has committed, and somebody has ended its wait for the standby, which may be the server of tomorrow.
    static let commitUnconfirmed = PostgresError(
        code: "08007", message: "the wait for a standby was ended: the commit is lost if this server is"
    )
    /// Neither who waits for the server nor who comes anew gets an answer.
    static let silent = PostgresError(code: "08006", message: "the server does not answer", isLost: true)
    static let standby = PostgresError(code: "25006", message: "the server is a standby, which takes no writes")
    static let closed = PostgresError(code: "57P03", message: "the database is closed")

    /// Of other transactions: the same may succeed at once, since theirs have ended.
    var isConflict: Bool {
        // Could not be serialized, deadlock, a lock that did not come.
        ["40001", "40P01", "55P03"].contains(code)
    }

    /// A row with this key is there already, or a column with this name.
    var isKeyTaken: Bool { ["23505", "42701"].contains(code) }

    /// The server cannot do it now: no connection, no room, shutting down, too slow, a standby.
    var isPassing: Bool {
        isLost || isConflict || ["25006", "57014"].contains(code)
            || ["08", "40", "53", "55", "57", "58"].contains { code.hasPrefix($0) }
    }

    /// It is no fault of the write that met it, however often that has run.
    var isOfAll: Bool { isConflict || isLost || isReadOnly }

    /// The server takes no writes: a standby, or one that was told not to.
    var isReadOnly: Bool { code == "25006" }

    /// The server's disk is full.
    var isFull: Bool { code == "53100" }

    /// The server cannot read its own files: data, or an index.
    var isDamage: Bool { ["XX001", "XX002"].contains(code) }

    /// There was no TLS, or no certificate that holds: libpq has no code for it.
    var isOfTLS: Bool { isLost && (message.contains("SSL") || message.contains("certificate")) }

    /// What was to be written breaks a rule of the table or of its values, or is too large for an index.
    var isRejection: Bool {
        ["22", "23", "54"].contains { code.hasPrefix($0) }
    }
}

extension PostgresError: CustomStringConvertible {
    var description: String { "PostgreSQL \(code): \(message)" }
}

extension PostgresError {
    /// What a failed statement says.
    init(result: OpaquePointer?, link: OpaquePointer) {
        let isLost = PQstatus(link) != CONNECTION_OK
        let code = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
        let primary = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
        self.init(
            code: code ?? (isLost ? "08006" : "XX000"), message: primary ?? Self.complaint(of: link), isLost: isLost
        )
    }

    /// What libpq says of a connection, on one line. It names the host, never the password.
    static func complaint(of link: OpaquePointer) -> String {
        String(cString: PQerrorMessage(link)).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

extension StoreError {
    /// Of PostgreSQL's errors, what the layers above act on; any other error stays as it is.
    static func mapped(postgres error: any Error) -> any Error {
        guard let error = error as? PostgresError else { return error }
        if error.isFull { return StoreError.full(reason: error.description) }
        if error.isPassing { return StoreError.tryAgain(reason: error.description) }
        if error.isDamage { return StoreError.damaged(reason: error.description) }
        if error.isRejection { return StoreError.refused(reason: error.description) }
        return error
    }
}
