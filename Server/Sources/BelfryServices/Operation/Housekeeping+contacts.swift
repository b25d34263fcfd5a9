import BelfryStore
import Foundation

extension Housekeeping {
    /// Anonymous contacts that their devices left long ago, and that nothing is known of.
    func removeEmptyContacts(now: Date) async throws -> Int {
        let moment = now.addingTimeInterval(-Self.emptyContactAge)
        let last = try await database.read { try $0.contacts.highestID() }
        var count = 0
        for first in stride(from: 1, through: last, by: Self.contacts) {
            let numbers = first...(first + Int64(Self.contacts) - 1)
            let found = try await database.read { try $0.contacts.empty(numbers, before: moment) }
            guard !found.isEmpty else { continue }
            // A device may have come back to one meanwhile.
            count += try await database.write(turn: .patient) { connection in
                try found.count { try connection.contacts.deleteIfEmpty($0.id, app: $0.app) }
            }
        }
        return count
    }
}
