import BelfryStore

/// How a process connects to a database: what it requires of the server, and how it finds or makes the schema.
struct PostgresOpening {
    static let oldestVersion = 140_000
    private static let encoding = "UTF8"
    /// One process at a time upgrades a schema; the others wait for it, however long it takes.
    static let lock: SQLText = "hashtext('belfry schema'), hashtext(current_schema())"

    private let settings: PostgresSettings

    init(_ settings: PostgresSettings) {
        self.settings = settings
    }

    /// Uses a connection of its own, which is closed afterwards.
    ///
    /// - Parameters:
    ///   - asksForFolder: whether to ask the server where its files are.
    ///   - bell: by which others see from now on that the process is at work; nil: it is not going to be.
    /// - Returns: the server's folder; nil: it was not asked.
    func run(asksForFolder: Bool, bell: PostgresBell? = nil) throws -> PostgresDataFolder? {
        let line = PostgresLine("opening", settings, lockTimeout: 0)
        defer { line.close() }
        do {
            return try line.queue.sync { () throws -> PostgresDataFolder? in
                let link = try line.ready()
                try Self.check(link)
                // On a standby, every write would be answered with 503, without a visible reason.
                guard link.parameter("in_hot_standby") != "on" else {
                    throw PostgresOpeningError.replica(database: settings.address.summary)
                }
                // Asked before other processes wait for our lock. A server that does not answer this may still be
                // usable.
                var folder: PostgresDataFolder?
                if asksForFolder {
                    let said = try? PostgresDataFolder(link)
                    folder = said ?? PostgresDataFolder.undisclosed
                }
                try link.command("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")
                try link.command("SELECT pg_advisory_lock(\(Self.lock))")
                try settings.placement.read(link)
                // It goes with the connection.
                try line.transaction("") { try PostgresConnection(link: $0).migrate() }
                bell?.enter()
                return folder
            }
        } catch let error as PostgresError {
            throw PostgresOpeningError(error, at: settings.address)
        }
    }

    /// Checks whether a store can be on this server.
    static func check(_ link: PostgresLink) throws {
        guard link.serverVersion >= oldestVersion else {
            throw PostgresOpeningError.tooOld(found: link.parameter("server_version") ?? "unknown")
        }
        let encoding = link.parameter("server_encoding") ?? "unknown"
        guard encoding == Self.encoding else { throw PostgresOpeningError.encoding(found: encoding) }
    }
}

/// Why a database cannot be used, in words for the person who starts the server. The password is not among them.
package enum PostgresOpeningError: Error, Hashable, CustomStringConvertible {
    /// - Parameter isUnproven: we required proof from the server, though its address does not ask for it, and the
    ///   server did not give it.
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
    /// The error of a server that could not be used.
    init(_ error: PostgresError, at address: PostgresAddress) {
        self = .failed(
            database: address.summary, reason: error.description,
            isUnproven: PostgresEntry.asksForProof(address.settings) && error.isOfTLS
        )
    }
}

/// Runs an operator's statements outside the store: each by itself, on a connection of its own.
package enum PostgresScript {
    /// - Throws: ``PostgresOpeningError``, with the server's message.
    package static func run(_ sql: SQLText, at address: PostgresAddress) throws {
        do {
            try PostgresLink(address.settings).command(sql)
        } catch let error as PostgresError {
            throw PostgresOpeningError(error, at: address)
        }
    }
}
