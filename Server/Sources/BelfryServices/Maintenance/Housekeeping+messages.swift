import BelfryStore
import Foundation

extension Housekeeping {
    /// Messages that expired, or were deleted, so long ago that no device will ask for them again.
    func removeMessages(now: Date) async throws -> Int {
        let moment = now.addingTimeInterval(-Self.messageAge)
        return try await walkContacts(.centerMessages) {
            try $0.housekeeping.haveOutlivedMessages($1, before: moment)
        } remove: {
            try $0.housekeeping.deleteMessages(of: $1, before: moment, limit: Self.batch)
        }
    }

    /// The memory of rich content that was served, once the message is gone.
    func removeServings() async throws -> Int {
        try await walkContacts(.richServings) {
            try $0.housekeeping.haveOutlivedServings($1)
        } remove: {
            try $0.housekeeping.deleteServings(of: $1, limit: Self.batch)
        }
    }

    /// Walks over all contacts, some at a time; only where something goes is anything written.
    private func walkContacts(
        _ step: UpkeepStep,
        _ isNeeded: @escaping @Sendable (any SQLConnection, ClosedRange<Int64>) throws -> Bool,
        remove: @escaping @Sendable (any SQLConnection, ClosedRange<Int64>) throws -> Int
    ) async throws -> Int {
        let last = try await database.read { try $0.contacts.highestID() }
        return try await walk(step, through: last, by: Self.contacts) { contacts in
            guard try await database.read({ try isNeeded($0, contacts) }) else { return 0 }
            return try await repeated(step) { try remove($0, contacts) }
        }
    }
}
