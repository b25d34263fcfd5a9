import BelfryStore

/// Where a server keeps its files, if they are on this machine and the server says where (SEC-9).
package enum PostgresDataFolder: Hashable, Sendable {
    /// The files are on another machine, or may be.
    case elsewhere
    /// The files are on this machine, but the server does not say where: it tells only members of
    /// `pg_read_all_settings`.
    case undisclosed
    /// The files are on this machine, in this folder. If the server runs in a container that shares the machine's
    /// network, it is a folder in the container.
    case here(String)

    /// A user who may not read the setting gets no row of the view. `SHOW` would fail instead.
    private static let question: SQLText = """
        SELECT (SELECT setting FROM pg_settings WHERE name = 'data_directory'),
            coalesce(inet_server_addr() <<= '127.0.0.0/8' OR inet_server_addr() = '::1', true)
        """

    /// - Parameters:
    ///   - peer: where our connection leads: a socket's folder, or an address.
    ///   - isTakenHere: whether the server accepts the connection on a socket or on a loopback address. Otherwise the
    ///     server is behind a proxy, or behind a container's port on this machine.
    ///   - folder: the folder that the server names; nil: it names none.
    init(peer: String, isTakenHere: Bool, folder: String?) {
        guard isTakenHere, ServerVerification.isLocal(host: peer) else {
            self = .elsewhere
            return
        }
        self = folder.map(PostgresDataFolder.here) ?? .undisclosed
    }

    /// Asks the server of a connection for its folder.
    init(_ link: PostgresLink) throws {
        // With several servers, a failover makes another one the primary.
        guard link.servers == 1 else {
            self = .elsewhere
            return
        }
        let peer = link.peer
        let said = try PostgresConnection(link: link).first(Self.question, []) { row in
            PostgresDataFolder(peer: peer, isTakenHere: row.flag(1), folder: row.optionalText(0))
        }
        self = said ?? .undisclosed
    }

    /// Asks the server of a connection for its folder; nil if the connection is not to PostgreSQL.
    package init?(_ connection: any SQLConnection) throws {
        guard let connection = connection as? PostgresConnection else { return nil }
        try self.init(connection.link)
    }
}
