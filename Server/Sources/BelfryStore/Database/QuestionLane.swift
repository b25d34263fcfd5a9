import Synchronization

/// Admits all questions of a process to its engine: few at a time, the others wait in bounded queues (SEC-8).
package final class QuestionLane: Sendable {
    /// Resumes a waiting caller when its question may run, or fails it when the question is given up.
    private typealias Turn = CheckedContinuation<Void, any Error>

    private struct State {
        var questions: WaitingQuestions
        var turns: [UInt64: Turn] = [:]
    }

    private let limits: QuestionLimits
    private let state: Mutex<State>

    package init(_ limits: QuestionLimits) {
        self.limits = limits
        state = Mutex(State(questions: WaitingQuestions(limits: limits)))
    }

    package var use: QuestionLaneUse { state.withLock { $0.questions.use } }

    /// Runs a question when it is its turn. Cancelling the task ends its statement, or its wait.
    ///
    /// - Parameter run: makes the engine evaluate the question; the budget counts from the moment the engine begins the
    ///   run.
    package func ask<Output: Sendable>(
        _ question: Question,
        _ run: @Sendable (QuestionRun, @escaping @Sendable (Result<Output, any Error>) -> Void) -> Void
    ) async throws -> Output {
        let id = try await enter(question)
        defer { leave(id) }
        let underWay = QuestionRun(budget: limits.budget(of: question), clock: limits.clock(of: question))
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                run(underWay) { continuation.resume(with: $0) }
            }
        } onCancel: {
            underWay.cancel()
        }
    }

    private func enter(_ question: Question) async throws -> UInt64 {
        try Task.checkCancellation()
        let (id, admission) = state.withLock { $0.questions.add(question) }
        switch admission {
        case .now: return id
        case .rejected: throw StoreError.crowded
        case .later:
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { turn in wait(id, turn) }
            } onCancel: {
                let turn = state.withLock { state in
                    state.questions.abandon(id) ? state.turns.removeValue(forKey: id) : nil
                }
                turn?.resume(throwing: CancellationError())
            }
            return id
        }
    }

    /// The turn may have come, or the task may have been cancelled, before the continuation exists.
    private func wait(_ id: UInt64, _ turn: Turn) {
        let status = state.withLock { state in
            let status = state.questions.status(of: id)
            if status == .waiting { state.turns[id] = turn }
            return status
        }
        switch status {
        case .waiting: break
        case .underWay: turn.resume()
        case .gone: turn.resume(throwing: CancellationError())
        }
    }

    private func leave(_ id: UInt64) {
        let turns = state.withLock { state in
            state.questions.end(id).compactMap { state.turns.removeValue(forKey: $0) }
        }
        for turn in turns { turn.resume() }
    }
}
