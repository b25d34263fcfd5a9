import BelfryStore
import Foundation

extension Housekeeping {
    /// Removes anonymous contacts without data that no device has had for a long time.
    func removeEmptyContacts(now: Date) async throws -> Int {
        let moment = now.addingTimeInterval(-Self.emptyContactAge)
        let last = try await database.read { try $0.contacts.highestID() }
        return try await walk(.contacts, through: last, by: Self.contacts) { numbers in
            let found = try await database.read { try $0.orphanedContacts.empty(numbers, before: moment) }
            guard !found.isEmpty else { return 0 }
            let noteProgress = progress(.contacts)
            return try await database.write(turn: .patient) { connection in
                try connection.hold(Set(found.map { $0.id }))
                // A device may have returned to a contact since the read.
                let removed = try found.count { try connection.orphanedContacts.deleteIfEmpty($0.id, app: $0.app) }
                if removed > 0 { try noteProgress(connection) }
                return removed
            }
        }
    }

    /// Removes the records of silent pushes of devices that are to get none and whose last one is so long ago that the
    /// next may be sent immediately (PUSH-7).
    func removeSilentPushes(now: Date) async throws -> Int {
        let moment = now.addingTimeInterval(-Self.silentPushAge)
        return try await walk(.silentPushes) {
            try $0.housekeeping.settledSilentPushes(before: moment, after: $1, limit: Self.batch)
        } remove: {
            try $0.housekeeping.deleteSettledSilentPushes($1, before: moment)
        }
    }

    /// Removes last openings of devices or contacts that a program of schema 25 has erased (FLEET-2).
    func removeOpenings(of holder: OpeningHolder, _ step: UpkeepStep) async throws -> Int {
        try await walk(step) {
            try $0.housekeeping.ownerlessOpenings(of: holder, after: $1, limit: Self.batch)
        } remove: {
            try $0.housekeeping.deleteOwnerlessOpenings(of: holder, $1)
        }
    }
}
