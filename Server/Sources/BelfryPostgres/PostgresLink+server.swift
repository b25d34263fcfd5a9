import BelfryStore
import CLibpq

/// A connection that is watched, and ended when another server becomes the primary.
struct WatchedLink {
    let watch: PostgresWatch
    let server: PostgresWatch.Server
    let socket: SocketHold

    var isLeft: Bool { watch.isLeft(server) }

    func during<Output>(_ body: () throws -> Output) rethrows -> Output {
        try watch.during(server, socket, body)
    }
}

extension PostgresLink {
    /// Identifies a run of a server; a server that takes no writes returns no row.
    static let mark: SQLText = """
        SELECT CAST(extract(epoch FROM pg_postmaster_start_time()) AS TEXT) WHERE NOT pg_is_in_recovery()
        """

    /// The index of its server among those that the address names.
    func place(in settings: [String: String]) -> Int {
        PostgresHosts(settings).index(
            host: PQhost(pointer).map { String(cString: $0) } ?? "",
            port: PQport(pointer).map { String(cString: $0) } ?? ""
        )
    }

    /// Where the connection leads: a socket's folder, or an address.
    var peer: String {
        address.isEmpty ? PQhost(pointer).map { String(cString: $0) } ?? "" : address
    }

    /// How many servers libpq may connect to, according to the address and the environment. Nil: unknown, for instance
    /// because a service names them.
    var servers: Int? {
        guard let options = PQconninfo(pointer) else { return nil }
        defer { PQconninfoFree(options) }
        return PostgresHosts(PostgresAddress.settings(of: options)).count
    }

    /// The address of its server; empty for a socket.
    var address: String { PQhostaddr(pointer).map { String(cString: $0) } ?? "" }

    /// Finds out the state of a server that does not respond.
    static func find(
        of settings: [String: String], beside silent: PostgresWatch.Server
    ) -> PostgresWatch.Finding {
        if let leader = findLeader(of: settings, beside: silent) { return .leads(leader) }
        return PostgresEntry.answers(settings, at: silent) ? .isThere : .isGone
    }

    /// Asks which server is the primary of a database: among the other servers of the address or, if it names no other,
    /// at the place where it leads now.
    ///
    /// - Returns: nil when no server says that it is the primary.
    static func findLeader(
        of settings: [String: String], beside silent: PostgresWatch.Server
    ) -> PostgresWatch.Server? {
        let all = Array(0..<PostgresHosts(settings).count)
        let others = all.filter { $0 != silent.place }
        guard let link = try? PostgresLink(settings, asking: others.isEmpty ? all : others),
            let mark = try? link.command(Self.mark).elements({ $0.text(0) }).first
        else { return nil }
        return PostgresWatch.Server(place: link.place(in: settings), mark: mark)
    }
}
