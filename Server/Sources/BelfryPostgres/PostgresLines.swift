import BelfryStore
import Synchronization

/// Connections of one kind, lent to whoever needs one. Those who come when all are lent wait in their order.
final class PostgresLines: Sendable {
    typealias Use = @Sendable (PostgresLine) -> Void

    private struct State {
        var idle: [PostgresLine]
        var waiting: [Use] = []
    }

    private let name: String
    private let all: [PostgresLine]
    private let state: Mutex<State>

    /// They are to the server that takes the writes.
    ///
    /// - Parameter lockTimeout: milliseconds that their transactions wait for a lock.
    init(
        _ name: String, count: Int, _ settings: PostgresSettings, planning: PostgresLine.Planning,
        lockTimeout: Int = PostgresLine.patientLockTimeout
    ) {
        let lines = (1...max(count, 1)).map {
            PostgresLine(
                "\(name).\($0)", settings, planning: planning, lockTimeout: lockTimeout, needsPrimary: true
            )
        }
        self.name = name
        all = lines
        // The last is lent first: those in front stay unopened until they are needed.
        state = Mutex(State(idle: lines))
    }

    /// Runs on the thread of a connection that is free.
    func use(_ body: @escaping Use) {
        let line = state.withLock { state in
            let line = state.idle.popLast()
            if line == nil { state.waiting.append(body) }
            return line
        }
        if let line { run(body, on: line) }
    }

    private func run(_ body: @escaping Use, on line: PostgresLine) {
        line.queue.async { [self] in
            body(line)
            let next = state.withLock { state in
                if state.waiting.isEmpty {
                    state.idle.append(line)
                    return nil as Use?
                }
                return state.waiting.removeFirst()
            }
            if let next { run(next, on: line) }
        }
    }

    var use: ConnectionPoolUse {
        state.withLock { state in
            ConnectionPoolUse(
                name: name, size: all.count, lent: all.count - state.idle.count, waiting: state.waiting.count
            )
        }
    }

    func close() {
        for line in all { line.close() }
    }
}
