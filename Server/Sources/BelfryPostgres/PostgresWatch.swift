import Dispatch
import Foundation
import Synchronization

/// Ends connections to a server that is silent while another one takes the writes (FLEET-7).
///
/// A server that was killed is missed at once, since its machine says so. One whose machine is gone or stands still
/// says nothing, and whoever waits for it would wait for as long as TCP does, or until it goes on. Silence alone proves
/// nothing: a statement may take long. So somebody asks who leads, and ends only what waits for another than that.
final class PostgresWatch: Sendable {
    /// Seconds without an answer until somebody asks who leads, and between two times.
    static let patience = 3.0

    /// A run of a server.
    struct Server: Sendable {
        /// Its place among those that the address names.
        let place: Int
        /// What no other run has; the same server may be reached in several places.
        let mark: String
    }

    private struct Waiting {
        let socket: SocketHold
        let server: Server
        let since: Date
    }

    private struct State {
        var waiting: [Int: Waiting] = [:]
        var lastNumber = 0
        /// Those that were silent while another one took the writes.
        var deposed: Set<String> = []
        /// Somebody is about to look.
        var isAwake = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "belfry.postgres.watch")
    private let now: @Sendable () -> Date
    private let findLeader: @Sendable (_ silent: Server) -> Server?

    /// - Parameter findLeader: asks who takes the writes; nil when nobody says so. It is asked instead of one that is
    ///   silent, and may be that one itself where the address leads to no other.
    init(now: @escaping @Sendable () -> Date, findLeader: @escaping @Sendable (_ silent: Server) -> Server?) {
        self.now = now
        self.findLeader = findLeader
    }

    /// Whether another server took the writes when this one was silent.
    func isDeposed(_ server: Server) -> Bool {
        state.withLock { $0.deposed.contains(server.mark) }
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
        defer { state.withLock { state in _ = state.waiting.removeValue(forKey: number) } }
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
        let silent = state.withLock { state in
            state.waiting.values.filter { now.timeIntervalSince($0.since) >= Self.patience }.map(\.server)
        }
        for server in Dictionary(silent.map { ($0.mark, $0) }, uniquingKeysWith: { first, _ in first }).values {
            guard let leader = findLeader(server), leader.mark != server.mark else { continue }
            state.withLock { state in
                state.deposed.insert(server.mark)
                for waiting in state.waiting.values where waiting.server.mark == server.mark {
                    waiting.socket.shutDown()
                }
            }
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
