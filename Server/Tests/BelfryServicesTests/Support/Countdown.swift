import Synchronization

/// True so many times, and then no more.
final class Countdown: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) {
        left = Mutex(count)
    }

    /// How many times are left.
    var rest: Int { left.withLock { $0 } }

    func next() -> Bool {
        left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
    }
}
