import BelfryStore
import CLibpq

/// A connection under the eyes of who ends it when another server leads.
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
    /// Says which run of a server it is; a server that takes no writes says nothing.
    static let mark: SQLText = """
        SELECT CAST(extract(epoch FROM pg_postmaster_start_time()) AS TEXT) WHERE NOT pg_is_in_recovery()
        """

    /// The place of its server among those that the address names.
    func place(in settings: [String: String]) -> Int {
        PostgresHosts(settings).index(
            host: PQhost(pointer).map { String(cString: $0) } ?? "",
            port: PQport(pointer).map { String(cString: $0) } ?? ""
        )
    }

    /// Where it goes: a socket's folder, or an address.
    var peer: String {
        address.isEmpty ? PQhost(pointer).map { String(cString: $0) } ?? "" : address
    }

    /// How many servers libpq may go to: it knows them by the address, by its environment or by a service. Nil: it does
    /// not say.
    var servers: Int? {
        guard let options = PQconninfo(pointer) else { return nil }
        defer { PQconninfoFree(options) }
        return PostgresHosts(PostgresAddress.settings(of: options)).count
    }

    /// Its server's address, where it is reached by one.
    var address: String { PQhostaddr(pointer).map { String(cString: $0) } ?? "" }

    /// Finds out about a server that is silent.
    static func find(
        of settings: [String: String], beside silent: PostgresWatch.Server
    ) -> PostgresWatch.Finding {
        if let leader = findLeader(of: settings, beside: silent) { return .leads(leader) }
        return PostgresEntry.answers(settings, at: silent) ? .isThere : .isGone
    }

    /// Asks who takes the writes of a database: beside a server that is silent, or, where the address names no other,
    /// whom it leads to now.
    ///
    /// - Returns: nil when nobody says that it does.
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
