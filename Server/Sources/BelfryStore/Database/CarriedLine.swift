import Synchronization

/// A line of the audit log that the first write of some work carries, in its transaction: nothing is changed of which
/// nobody knows who has changed it, though the process may die right after the commit (ADM-1). The writes of the work's
/// task find it by themselves, so no service has to hand it on, and none can forget it.
package final class CarriedLine: Sendable {
    /// That of the work that this task does; nil: of none.
    @TaskLocal static var current: CarriedLine?

    private enum State {
        case waiting
        /// A write has taken it and has not ended.
        case taken
        /// In the log, by its number.
        case written(Int64)
        /// The work is over.
        case over
    }

    let entry: AuditEntry
    private let state = Mutex(State.waiting)

    package init(_ entry: AuditEntry) {
        self.entry = entry
    }

    /// Does the work whose first write carries it.
    package func carried<Output>(by work: () async throws -> Output) async throws -> Output {
        try await Self.$current.withValue(self) { try await work() }
    }

    /// Does work whose writes carry none: the log is told of it in another way.
    package static func withNone<Output>(_ work: () async throws -> Output) async throws -> Output {
        try await Self.$current.withValue(nil) { try await work() }
    }

    /// The work is over: no write takes it any more.
    ///
    /// - Returns: its number; nil: no write has carried it.
    package func end() -> Int64? {
        state.withLock { state in
            defer { state = .over }
            guard case .written(let number) = state else { return nil }
            return number
        }
    }

    /// Whether the write that asks is to carry it.
    func take() -> Bool {
        state.withLock { state in
            guard case .waiting = state else { return false }
            state = .taken
            return true
        }
    }

    /// The write that has taken it has ended.
    ///
    /// - Parameter number: nil: it has failed, and the next one may take it.
    func settle(_ number: Int64?) {
        state.withLock { state in
            guard case .taken = state else { return }
            state = number.map(State.written) ?? .waiting
        }
    }
}
