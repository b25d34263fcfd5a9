import BelfryStore
import Foundation

extension Housekeeping {
    /// Devices that are owed no silent push, and got their last one so long ago that the next goes at once (PUSH-7).
    func removeSilentPushes(now: Date) async throws -> Int {
        let moment = now.addingTimeInterval(-Self.silentPushAge)
        return try await walk(.silentPushes) {
            try $0.housekeeping.settledSilentPushes(before: moment, after: $1, limit: Self.batch)
        } remove: {
            try $0.housekeeping.deleteSettledSilentPushes($1, before: moment)
        }
    }
}
