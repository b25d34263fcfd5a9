import Foundation

/// Runs what blocks its thread, such as libpq, on a thread of its own, and waits for it.
///
/// Swift's concurrency has as few threads as the machine has cores: a test that blocked one of them would hold up all
/// tests that run beside it. Expectations stay outside of the body: its thread is of no test.
func offPool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
        Thread.detachNewThread {
            do {
                continuation.resume(returning: try body())
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
