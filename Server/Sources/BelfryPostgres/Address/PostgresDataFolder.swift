import BelfryStore

/// Where a server has its files, as far as it says so and is on this machine (SEC-9).
package enum PostgresDataFolder: Hashable, Sendable {
    /// On another machine, or possibly so.
    case elsewhere
    /// On this machine, and nobody has said where: only members of `pg_read_all_settings` are told.
    case untold
    /// On this machine, by this name. In a container that shares the machine's network it is a name in the container.
    case here(String)

    /// Who may not read the setting gets no row of the view. `SHOW` would be an error.
    private static let question: SQLText = """
        SELECT (SELECT setting FROM pg_settings WHERE name = 'data_directory'),
            coalesce(inet_server_addr() <<= '127.0.0.0/8' OR inet_server_addr() = '::1', true)
        """

    /// - Parameters:
    ///   - peer: where our connection goes: a socket's folder, or an address.
    ///   - isTakenHere: whether the server takes it by a socket, or at an address of the loopback interface. One that does
    ///     not is behind a proxy, or behind a container's port on this machine.
    ///   - folder: what it says; nil: nothing.
    init(peer: String, isTakenHere: Bool, folder: String?) {
        guard isTakenHere, ServerVerification.isLocal(host: peer) else {
            self = .elsewhere
            return
        }
        self = folder.map(PostgresDataFolder.here) ?? .untold
    }

    /// Asks the server of a connection.
    init(_ link: PostgresLink) throws {
        // Of several servers a failover makes another one the one that is written to.
        guard link.servers == 1 else {
            self = .elsewhere
            return
        }
        let peer = link.peer
        let said = try PostgresConnection(link: link).first(Self.question, []) { row in
            PostgresDataFolder(peer: peer, isTakenHere: row.flag(1), folder: row.optionalText(0))
        }
        self = said ?? .untold
    }

    /// Asks the server of a connection; nil: it is another engine's.
    package init?(_ connection: any SQLConnection) throws {
        guard let connection = connection as? PostgresConnection else { return nil }
        try self.init(connection.link)
    }
}
