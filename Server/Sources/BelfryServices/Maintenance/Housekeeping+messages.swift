import BelfryStore
import Foundation

extension Housekeeping {
    /// Removes messages that expired or were deleted so long ago that no device will ask for them again.
    func removeMessages(now: Date) async throws -> Int {
        let moment = now.addingTimeInterval(-Self.messageAge)
        return try await walkHolders(.centerMessages) {
            try $0.housekeeping.haveOutlivedMessages($1, before: moment)
        } remove: {
            try $0.housekeeping.deleteMessages(of: $1, before: moment, limit: Self.batch)
        }
    }

    /// Removes the confirmations of rich content whose message was removed.
    func removeConfirmations() async throws -> Int {
        try await walkHolders(.richConfirmations) {
            try $0.housekeeping.haveOutlivedConfirmations($1)
        } remove: {
            let count = try $0.housekeeping.deleteConfirmations(of: $1, limit: Self.batch)
            return (count, count < Self.batch)
        }
    }

    /// Walks over all contacts, and over installations by their numbers below 0, some at a time. It writes only where
    /// something is removed.
    private func walkHolders(
        _ step: UpkeepStep,
        _ isNeeded: @escaping @Sendable (any SQLConnection, ClosedRange<Int64>) throws -> Bool,
        remove: @escaping @Sendable (any SQLConnection, ClosedRange<Int64>) throws -> (count: Int, areAll: Bool)
    ) async throws -> Int {
        let last = try await database.read { try max($0.contacts.highestID(), $0.devices.highestID()) }
        return try await walk(step, through: last, by: Self.contacts) { numbers in
            var count = 0
            for holders in [numbers, -numbers.upperBound ... -numbers.lowerBound] {
                guard try await database.read({ try isNeeded($0, holders) }) else { continue }
                count += try await repeated(step) { try remove($0, holders) }
            }
            return count
        }
    }
}
