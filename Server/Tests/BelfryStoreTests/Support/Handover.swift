import Foundation
import Synchronization

/// Hands a value from one thread to another that waits for it.
final class Handover<Value: Sendable>: Sendable {
    private let condition = NSCondition()
    private let value = Mutex<Value?>(nil)

    func give(_ value: Value) {
        condition.withLock {
            self.value.withLock { $0 = value }
            condition.signal()
        }
    }

    func wait() -> Value? {
        condition.withLock {
            while value.withLock({ $0 == nil }) { condition.wait() }
            return value.withLock { $0 }
        }
    }
}
