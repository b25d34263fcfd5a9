import Synchronization

/// Events on other threads, in order.
final class Recorder<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    var all: [Value] { values.withLock { $0 } }

    /// Returns the number of values there are now.
    @discardableResult
    func append(_ value: Value) -> Int {
        values.withLock { values in
            values.append(value)
            return values.count
        }
    }

    /// Hands over what there is and forgets it.
    func takeAll() -> [Value] {
        values.withLock { values in
            let all = values
            values = []
            return all
        }
    }
}
