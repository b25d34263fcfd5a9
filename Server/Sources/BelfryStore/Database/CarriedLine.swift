import Synchronization

/// A line of the audit log that the first write of some work stores in its own transaction. So every change has its
/// actor in the log, even if the process dies right after the commit (ADM-1). The writes find the line through a
/// task-local value, so no service has to pass it on, and none can forget it.
package final class CarriedLine: Sendable {
    /// The line of the work that this task does; nil: the work has none.
    @TaskLocal static var current: CarriedLine?

    private enum State {
        case waiting
        /// A write has taken the line and has not ended.
        case taken
        /// The line is in the log, with this number.
        case written(Int64)
        /// The work is over.
        case over
    }

    let entry: AuditEntry
    private let state = Mutex(State.waiting)

    package init(_ entry: AuditEntry) {
        self.entry = entry
    }

    /// Does the work whose first write stores the line.
    package func carried<Output>(by work: () async throws -> Output) async throws -> Output {
        try await Self.$current.withValue(self) { try await work() }
    }

    /// Does work whose writes store no line, because it is logged in another way.
    package static func withNone<Output>(_ work: () async throws -> Output) async throws -> Output {
        try await Self.$current.withValue(nil) { try await work() }
    }

    /// Ends the work: no write takes the line any more.
    ///
    /// - Returns: the number of the stored line; nil: no write has stored it.
    package func end() -> Int64? {
        state.withLock { state in
            defer { state = .over }
            guard case .written(let number) = state else { return nil }
            return number
        }
    }

    /// Whether the calling write must store the line.
    func take() -> Bool {
        state.withLock { state in
            guard case .waiting = state else { return false }
            state = .taken
            return true
        }
    }

    /// Ends the write that has taken the line.
    ///
    /// - Parameter number: the number of the stored line; nil: the write has failed, and the next one may take the
    ///   line.
    func settle(_ number: Int64?) {
        state.withLock { state in
            guard case .taken = state else { return }
            state = number.map(State.written) ?? .waiting
        }
    }
}
