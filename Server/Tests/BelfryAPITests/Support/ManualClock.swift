import Foundation
import Synchronization

/// A clock that stands still until a test moves it.
package final class ManualClock: Sendable {
    private let moment: Mutex<Date>

    package init(_ start: Date = Date(timeIntervalSince1970: 1_795_262_400)) {
        moment = Mutex(start)
    }

    package var now: Date {
        moment.withLock { $0 }
    }

    /// - Parameter seconds: may be negative, as when somebody sets a clock back.
    package func advance(by seconds: TimeInterval) {
        moment.withLock { $0 += seconds }
    }
}
