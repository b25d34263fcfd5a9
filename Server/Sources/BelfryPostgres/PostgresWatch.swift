import Dispatch
import Foundation
import Synchronization

/// Ends connections to a server that is silent while another one takes the writes, or that answers nobody (FLEET-7).
///
/// A server that was killed is missed at once, since its machine says so. One whose machine is gone or stands still
/// says nothing, and whoever waits for it would wait for as long as TCP does, or until it goes on. Silence alone proves
/// nothing: a statement may take long. So somebody asks who leads, and ends only what waits for another than that; where
/// nobody leads, what waits for a server that does not answer whoever comes anew either.
final class PostgresWatch: Sendable {
    /// Seconds without an answer until somebody asks who leads, and between two times.
    static let patience = 3.0
    /// The same for a connection that is being made: on a busy machine its first answer may take a while.
    static let patienceWithNewcomers = 10.0

    /// A run of a server.
    struct Server: Hashable, Sendable {
        /// Its place among those that the address names.
        let place: Int
        /// What no other run has; the same server may be reached in several places. Empty until it has said so.
        let mark: String
        /// Where it is, without a name that somebody would have to look up; empty for a socket of this machine.
        var address = ""

        fileprivate var patience: Double {
            mark.isEmpty ? PostgresWatch.patienceWithNewcomers : PostgresWatch.patience
        }

        /// Whether both are one run, as far as that is known.
        fileprivate func isSame(as other: Server) -> Bool {
            mark.isEmpty ? place == other.place : mark == other.mark
        }
    }

    /// What somebody has found out about a server that is silent.
    enum Finding: Sendable {
        /// This one takes the writes.
        case leads(Server)
        /// Nobody says that it does, but the silent one answers whoever comes anew: a statement may take long.
        case isThere
        /// Nobody says that it does, and the silent one answers nobody.
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
        /// How often somebody waits no more for a run of a server.
        var ends: [String: Int] = [:]
        /// Those that were silent while another one took the writes.
        var deposed: Set<String> = []
        /// Those that have answered nobody, until they do.
        var gone: Set<String> = []
        /// Somebody is about to look.
        var isAwake = false

        /// Ends all that waits for a run of a server.
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

    /// - Parameter find: asks who takes the writes, instead of one that is silent. It may be that one itself where the
    ///   address leads to no other.
    init(now: @escaping @Sendable () -> Date, find: @escaping @Sendable (_ silent: Server) -> Finding) {
        self.now = now
        self.find = find
    }

    /// Whether no connection to this server is of use any more: another one took the writes when it was silent, or it
    /// has answered nobody.
    func isLeft(_ server: Server) -> Bool {
        state.withLock { $0.deposed.contains(server.mark) || $0.gone.contains(server.mark) }
    }

    /// It has answered one who came anew.
    func answered(_ server: Server) {
        state.withLock { state in _ = state.gone.remove(server.mark) }
    }

    /// Runs a body that waits for a server.
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

    /// Looks once.
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

    /// - Parameter ends: how often it was waited for to the end before it was asked. Whoever has got an answer since then
    ///   shows that it is there, however slow it is.
    private func leave(_ server: Server, unlessMoreThan ends: Int) {
        state.withLock { state in
            guard state.ends[server.mark, default: 0] == ends else { return }
            if !server.mark.isEmpty { state.gone.insert(server.mark) }
            state.endWaiting(for: server)
        }
    }
}

/// A second hold on a connection's socket, by which another thread can end what waits for it. libpq closes its own as
/// soon as it gives a connection up, and the number may then be of another one.
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

    /// Both ends find the connection ended.
    func shutDown() {
        shutdown(number, Int32(SHUT_RDWR))
    }
}
