import Foundation

/// A value that several threads access synchronously, for the few fields where an actor would cost a hop.
// Unchecked: `value` is read and written only between `lock` and `unlock`, so by one thread at a time.
final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func withLock<Output, Thrown: Error>(_ body: (inout Value) throws(Thrown) -> Output) throws(Thrown) -> Output {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
