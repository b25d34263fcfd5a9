import Dispatch
import Foundation
import Synchronization

/// Ends connections to a server that does not respond while another one is the primary, or that does not respond to new
/// connections either (FLEET-7).
///
/// If a server process was killed, its machine says so immediately. If the machine is gone or hangs, it says nothing,
/// and a caller would wait until TCP gives up or the machine continues. Silence alone proves nothing: a statement may
/// take long. So the watch asks which server is the primary, and ends only calls that wait for another one. If no
/// server is the primary, it ends calls to a server that does not respond to new connections.
final class PostgresWatch: Sendable {
    /// Seconds without a response until the watch asks which server is the primary, and between two such checks.
    static let patience = 3.0
    /// Seconds for a connection that is being opened: on a busy machine the first response may take a while.
    static let patienceWithNewcomers = 10.0

    /// One run of a server, from its start to its end.
    struct Server: Hashable, Sendable {
        /// Its index among the servers that the address names.
        let place: Int
        /// Identifies the run; the same server may be reachable at several places. Empty until the server has given it.
        let mark: String
        /// Its address, so that no name has to be looked up; empty for a socket of this machine.
        var address = ""

        fileprivate var patience: Double {
            mark.isEmpty ? PostgresWatch.patienceWithNewcomers : PostgresWatch.patience
        }

        /// Whether both are the same run, as far as is known.
        fileprivate func isSame(as other: Server) -> Bool {
            mark.isEmpty ? place == other.place : mark == other.mark
        }
    }

    /// The state of a server that did not respond.
    enum Finding: Sendable {
        /// This server is the primary.
        case leads(Server)
        /// No server is known to be the primary, but the silent one responds to new connections: a statement may take
        /// long.
        case isThere
        /// No server is known to be the primary, and the silent one does not respond to new connections.
        case isGone
    }

    private struct Waiting {
        let socket: SocketHold
        let server: Server
        let since: Date
    }

    private struct State {
        var waiting: [Int: Waiting] = [:]
        var lastNumber = 0
        /// For each run of a server, how many waits for it have ended.
        var ends: [String: Int] = [:]
        /// Runs that did not respond while another server was the primary.
        var deposed: Set<String> = []
        /// Runs that did not respond to new connections, until they do.
        var gone: Set<String> = []
        /// A check is scheduled.
        var isAwake = false

        /// Ends all waits for a run of a server.
        func endWaiting(for server: Server) {
            for one in waiting.values {
                let isSameRun = !server.mark.isEmpty && one.server.mark == server.mark
                if isSameRun || one.server == server { one.socket.shutDown() }
            }
        }
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "belfry.postgres.watch")
    private let now: @Sendable () -> Date
    private let find: @Sendable (_ silent: Server) -> Finding

    /// - Parameter find: asks which server is the primary instead of the silent one. It may be the silent one itself,
    ///   if the address leads to no other.
    init(now: @escaping @Sendable () -> Date, find: @escaping @Sendable (_ silent: Server) -> Finding) {
        self.now = now
        self.find = find
    }

    /// Whether this server was given up: another one was the primary while it did not respond, or it did not respond to
    /// new connections.
    func isLeft(_ server: Server) -> Bool {
        state.withLock { $0.deposed.contains(server.mark) || $0.gone.contains(server.mark) }
    }

    /// Records that a server has responded to a new connection.
    func answered(_ server: Server) {
        state.withLock { state in _ = state.gone.remove(server.mark) }
    }

    /// Runs a body that waits for a server, and watches the wait.
    func during<Output>(
        _ server: Server, _ socket: SocketHold, _ body: () throws -> Output
    ) rethrows -> Output {
        let waiting = Waiting(socket: socket, server: server, since: now())
        let (number, isFirst) = state.withLock { state in
            state.lastNumber += 1
            state.waiting[state.lastNumber] = waiting
            defer { state.isAwake = true }
            return (state.lastNumber, !state.isAwake)
        }
        if isFirst { lookLater() }
        defer {
            state.withLock { state in
                state.waiting[number] = nil
                state.ends[server.mark, default: 0] += 1
            }
        }
        return try body()
    }

    private func lookLater() {
        queue.asyncAfter(deadline: .now() + Self.patience) { [weak self] in
            guard let self else { return }
            look()
            let goesOn = state.withLock { state in
                state.isAwake = !state.waiting.isEmpty
                return state.isAwake
            }
            if goesOn { lookLater() }
        }
    }

    /// Checks once each server for which a call has waited too long.
    func look() {
        let now = now()
        let (silent, ends) = state.withLock { state in
            let silent = state.waiting.values.filter { now.timeIntervalSince($0.since) >= $0.server.patience }
            return (Set(silent.map(\.server)), state.ends)
        }
        for server in silent {
            switch find(server) {
            case .leads(let leader): if !server.isSame(as: leader) { depose(server) }
            case .isThere: break
            case .isGone: leave(server, unlessMoreThan: ends[server.mark, default: 0])
            }
        }
    }

    private func depose(_ server: Server) {
        state.withLock { state in
            if !server.mark.isEmpty { state.deposed.insert(server.mark) }
            state.endWaiting(for: server)
        }
    }

    /// - Parameter ends: how many waits had ended before the check. If more have ended since, the server responds,
    ///   however slow it is.
    private func leave(_ server: Server, unlessMoreThan ends: Int) {
        state.withLock { state in
            guard state.ends[server.mark, default: 0] == ends else { return }
            if !server.mark.isEmpty { state.gone.insert(server.mark) }
            state.endWaiting(for: server)
        }
    }
}

/// A second descriptor of a connection's socket, with which another thread can end what waits for it. libpq closes its
/// own descriptor as soon as it gives a connection up, and the number may then belong to another one.
final class SocketHold: Sendable {
    private let number: Int32

    init?(_ socket: Int32) {
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        number = copy
    }

    deinit {
        close(number)
    }

    /// Shuts the socket down: both ends see the connection end.
    func shutDown() {
        shutdown(number, Int32(SHUT_RDWR))
    }
}
