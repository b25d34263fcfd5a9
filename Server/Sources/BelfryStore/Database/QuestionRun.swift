import Dispatch
import Synchronization

/// A running question: its remaining budget, and whether a caller still waits for the result.
package final class QuestionRun: Sendable {
    private let budget: UInt64
    /// Read on the question's thread.
    private let clock: @Sendable () -> UInt64
    private let cancelled = Atomic(false)
    private let begun = Atomic<UInt64>(0)
    private let deadline = Atomic(UInt64.max)
    private let interrupt = Mutex<(@Sendable () -> Void)?>(nil)

    package init(budget: UInt64, clock: @escaping @Sendable () -> UInt64) {
        self.budget = budget
        self.clock = clock
    }

    /// Starts the budget's clock.
    package func begin() {
        let now = clock()
        begun.store(now, ordering: .relaxed)
        deadline.store(now.addingClamped(budget), ordering: .relaxed)
    }

    /// Whether the statement must end now.
    package var isOver: Bool { cancelled.load(ordering: .relaxed) || left == 0 }

    /// Whether the caller has cancelled and no longer waits for the result.
    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Remaining nanoseconds of the budget, or of the part that the current body has.
    package var left: UInt64 {
        let (deadline, now) = (deadline.load(ordering: .relaxed), clock())
        return deadline > now ? deadline - now : 0
    }

    /// How much of the whole budget is spent, 0 to 1.
    package var spent: Double {
        let elapsed = clock() &- begun.load(ordering: .relaxed)
        return budget == 0 ? 1 : min(Double(elapsed) / Double(budget), 1)
    }

    /// Why the statement was ended.
    package var error: any Error {
        isCancelled ? CancellationError() : StoreError.tooExpensive(seconds: Double(budget) / 1e9)
    }

    /// Runs a body with a part, 0 to 1, of the remaining budget, on the question's thread.
    package func spending<Output>(_ share: Double, _ body: () throws -> Output) throws -> Output {
        let whole = deadline.load(ordering: .relaxed)
        let part = UInt64(Double(left) * min(max(share, 0), 1))
        deadline.store(min(clock().addingClamped(part), whole), ordering: .relaxed)
        defer { deadline.store(whole, ordering: .relaxed) }
        return try body()
    }

    /// Ends the question's statement, from any thread.
    package func cancel() {
        cancelled.store(true, ordering: .relaxed)
        // Reaching a server may take a while, and the caller must not wait for it.
        DispatchQueue.global().async { self.interruptUntilOver() }
    }

    /// A server ignores a cancellation between two statements, so it is sent again until the body has returned.
    private func interruptUntilOver() {
        let isUnderWay = interrupt.withLock { interrupt in
            interrupt?()
            return interrupt != nil
        }
        guard isUnderWay else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { self.interruptUntilOver() }
    }

    /// Runs a body that `interrupt` can end from another thread; it is not called after this function has returned.
    package func interruptible<Output>(
        by interrupt: @escaping @Sendable () -> Void, _ body: () throws -> Output
    ) throws -> Output {
        self.interrupt.withLock { $0 = interrupt }
        defer { self.interrupt.withLock { $0 = nil } }
        if isCancelled { throw CancellationError() }
        return try body()
    }
}

extension UInt64 {
    fileprivate func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }
}
