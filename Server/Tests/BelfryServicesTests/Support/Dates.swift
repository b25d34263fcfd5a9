import Foundation
import Synchronization

/// A list of moments that several threads write.
final class Dates: Sendable {
    private let dates = Mutex<[Date]>([])

    var all: [Date] { dates.withLock { $0 } }

    func append(_ date: Date) {
        dates.withLock { $0.append(date) }
    }
}
