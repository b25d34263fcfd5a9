import NIOCore
import Synchronization

/// The memory of responses that clients have not read yet, of all connections together (SEC-12). A response can be much
/// longer than its request, and a client may take an hour to read it. Beyond the maximum, the client that has not read
/// for the longest time loses its connection; of several, the one with the longest response.
final class ResponseMemory: Sendable {
    private struct Waiting {
        var bytes: Int
        var since: NIODeadline
        let end: @Sendable () -> Void
    }

    private struct State {
        var connections: [UInt64: Waiting] = [:]
        var bytes = 0
        var last: UInt64 = 0
    }

    /// In bytes.
    private let maximum: Int
    private let state = Mutex(State())

    init(maximum: Int) {
        self.maximum = maximum
    }

    /// The unread bytes at the moment.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Counts a connection whose client reads more slowly than the server writes.
    ///
    /// - Parameters:
    ///   - since: when its client last read.
    ///   - end: is called on any thread when the connection must close. The connection is no longer counted then.
    func begin(bytes: Int, since: NIODeadline, end: @escaping @Sendable () -> Void) -> UInt64 {
        let (id, ends) = state.withLock { state in
            state.last += 1
            state.connections[state.last] = Waiting(bytes: bytes, since: since, end: end)
            state.bytes += bytes
            return (state.last, overdrawn(&state))
        }
        for end in ends { end() }
        return id
    }

    /// Records how many bytes a connection's client has not read yet.
    func hold(_ id: UInt64, bytes: Int, since: NIODeadline) {
        let ends = state.withLock { state -> [@Sendable () -> Void] in
            guard let former = state.connections[id] else { return [] }
            state.connections[id]?.bytes = bytes
            state.connections[id]?.since = since
            state.bytes += bytes - former.bytes
            return overdrawn(&state)
        }
        for end in ends { end() }
    }

    func release(_ id: UInt64) {
        state.withLock { state in
            state.bytes -= state.connections.removeValue(forKey: id)?.bytes ?? 0
        }
    }

    private func overdrawn(_ state: inout State) -> [@Sendable () -> Void] {
        var ends: [@Sendable () -> Void] = []
        while state.bytes > maximum, let slowest = state.connections.min(by: { Self.precedes($0.value, $1.value) }) {
            state.connections[slowest.key] = nil
            state.bytes -= slowest.value.bytes
            ends.append(slowest.value.end)
        }
        return ends
    }

    private static func precedes(_ one: Waiting, _ other: Waiting) -> Bool {
        one.since == other.since ? one.bytes > other.bytes : one.since < other.since
    }
}
