import BelfryStore
import Foundation

extension InAppDeviceStateRepository {
    /// Counts one event by itself.
    package func count(
        _ engagement: InAppEngagement, at place: InAppDeviceStateKey, version: Int?, epoch: Int, when moment: Date
    ) throws {
        var count = InAppCount(at: place, epoch: epoch)
        count.add(engagement, version: version, at: moment)
        try self.count([count])
    }
}
