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
        self = folder.map { .here($0) } ?? .untold
    }

    /// Asks the server, on a connection of its own that ends with it.
    package static func ask(_ settings: PostgresSettings) -> PostgresDataFolder {
        // Of several servers a failover makes another one the one that is written to.
        guard settings.address.servers == 1 else { return .elsewhere }
        let line = PostgresLine("folder", settings)
        defer { line.close() }
        return line.queue.sync { () -> PostgresDataFolder in
            guard let link = try? line.ready() else { return .untold }
            let said = try? PostgresConnection(link: link).first(question, []) { row in
                PostgresDataFolder(peer: link.peer, isTakenHere: row.flag(1), folder: row.optionalText(0))
            }
            return said ?? .untold
        }
    }
}
