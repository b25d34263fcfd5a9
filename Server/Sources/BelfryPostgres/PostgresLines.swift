import BelfryStore
import Synchronization

/// A pool of connections for one purpose. When all are in use, callers wait in order.
final class PostgresLines: Sendable {
    typealias Use = @Sendable (PostgresLine) -> Void

    private struct State {
        var idle: [PostgresLine]
        var waiting: [Use] = []
    }

    private let name: String
    private let all: [PostgresLine]
    private let state: Mutex<State>

    /// The connections are to the primary.
    ///
    /// - Parameter lockTimeout: how long their transactions wait for a lock, in milliseconds.
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
        // The last is used first: the others stay closed until they are needed.
        state = Mutex(State(idle: lines))
    }

    /// Runs the body on the thread of a free connection.
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
