import Foundation
import Synchronization

/// Lets threads wait until a test continues.
final class ThreadGate: Sendable {
    private let isOpen = Mutex(false)

    func open() { isOpen.withLock { $0 = true } }

    func wait() {
        while !isOpen.withLock({ $0 }) { sched_yield() }
    }
}
