import BelfryServices
import BelfryStore
import Synchronization

/// A disk as a test says it is, of a million bytes.
package final class MeasuredDisk: Sendable {
    static let floor = DiskFloor.share(percent: 10, atMost: .max)

    private let space = Mutex(DiskSpace(total: 1_000_000, available: 900_000, unsettled: 0))
    private let settlings = Mutex(0)
    /// Whether the log can be copied back.
    private let canSettle = Mutex(true)

    /// How often the log was to be copied back.
    var settled: Int { settlings.withLock { $0 } }

    var disk: StorageWatch.Disk {
        StorageWatch.Disk(space: { [self] in space.withLock { $0 } }, settle: { [self] in try settle() })
    }

    func set(available: Int64, log: Int64 = 0, canSettle: Bool = true) {
        space.withLock { $0 = DiskSpace(total: 1_000_000, available: available, unsettled: log) }
        self.canSettle.withLock { $0 = canSettle }
    }

    /// The pages of the log are in the file already: its space comes free, and nothing is used up.
    private func settle() throws {
        settlings.withLock { $0 += 1 }
        guard canSettle.withLock({ $0 }) else { throw StoreError.full(reason: "no room for the log") }
        space.withLock { space in
            space.available += space.unsettled
            space.unsettled = 0
        }
    }
}
