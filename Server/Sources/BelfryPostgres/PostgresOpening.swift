import BelfryStore

/// How a process enters a database: what it asks of the server, and the schema that it finds or makes.
struct PostgresOpening {
    static let oldestVersion = 140_000
    private static let encoding = "UTF8"
    /// One process at a time brings a schema up to date; the others wait for it, however long it takes.
    static let lock: SQLText = "hashtext('belfry schema'), hashtext(current_schema())"

    private let settings: PostgresSettings

    init(_ settings: PostgresSettings) {
        self.settings = settings
    }

    /// On a connection of its own, which ends with it.
    ///
    /// - Parameter asksForFolder: whether the server is asked where its files are.
    /// - Returns: what it says; nil: it was not asked.
    func run(asksForFolder: Bool) throws -> PostgresDataFolder? {
        let line = PostgresLine("opening", settings)
        defer { line.close() }
        do {
            return try line.queue.sync { () throws -> PostgresDataFolder? in
                let link = try line.ready()
                try Self.check(link)
                // Of a standby every answer to a write would be 503, and nobody would know why.
                guard link.parameter("in_hot_standby") != "on" else {
                    throw PostgresOpeningError.replica(database: settings.address.summary)
                }
                // Before the others wait for us. Who does not answer that may be a good server all the same.
                var folder: PostgresDataFolder?
                if asksForFolder {
                    let said = try? PostgresDataFolder(link)
                    folder = said ?? PostgresDataFolder.untold
                }
                try link.command("SET statement_timeout = 0; SET lock_timeout = 0")
                try link.command("SET idle_in_transaction_session_timeout = 0")
                try link.command("SELECT pg_advisory_lock(\(Self.lock))")
                // It goes with the connection.
                try line.transaction("") { try PostgresConnection(link: $0).migrate() }
                return folder
            }
        } catch let error as PostgresError {
            throw PostgresOpeningError(error, at: settings.address)
        }
    }

    /// Whether the server is one that a store can be on.
    static func check(_ link: PostgresLink) throws {
        guard link.serverVersion >= oldestVersion else {
            throw PostgresOpeningError.tooOld(found: link.parameter("server_version") ?? "unknown")
        }
        let encoding = link.parameter("server_encoding") ?? "unknown"
        guard encoding == Self.encoding else { throw PostgresOpeningError.encoding(found: encoding) }
    }
}

/// Why a database cannot be used, in words for whoever starts the server. The password is not among them.
package enum PostgresOpeningError: Error, Hashable, CustomStringConvertible {
    /// - Parameter isUnproven: the server did not prove itself, which the address does not ask for by itself.
    case failed(database: String, reason: String, isUnproven: Bool = false)
    case replica(database: String)
    case tooOld(found: String)
    case encoding(found: String)

    private static let verification = """
        Because the address has no sslmode, a server on another machine needs a trusted certificate for its name. Give \
        the certificate authority with sslrootcert=FILE, or turn verification off with sslmode=require or \
        sslmode=disable.
        """

    package var description: String {
        switch self {
        case .failed(let database, let reason, let isUnproven):
            "The database \(database) cannot be used: \(reason)"
                + (isUnproven ? "\n\(Self.verification)" : "")
        case .replica(let database):
            "The database \(database) is a replica and takes no writes. Give the address of the primary, or of all "
                + "servers: postgres://user@host1,host2,host3/name."
        case .tooOld(let found): "The database server is PostgreSQL \(found). Version 14 or later is required."
        case .encoding(let found):
            "The encoding of the database is \(found). Create one with 'createdb --encoding UTF8 --template template0'."
        }
    }
}

extension PostgresOpeningError {
    /// What a server has said.
    init(_ error: PostgresError, at address: PostgresAddress) {
        self = .failed(
            database: address.summary, reason: error.description,
            isUnproven: PostgresEntry.asksForProof(address.settings) && error.isOfTLS
        )
    }
}

/// Statements outside the store, as an operator gives them: on a connection of their own, each by itself.
package enum PostgresScript {
    /// - Throws: ``PostgresOpeningError``, with what the server has said.
    package static func run(_ sql: SQLText, at address: PostgresAddress) throws {
        do {
            try PostgresLink(address.settings).command(sql)
        } catch let error as PostgresError {
            throw PostgresOpeningError(error, at: address)
        }
    }
}
