/// Deletes a device's registrations in steps: within 30 days there may be more than a gigabyte (SEC-2).
extension RegistrationRepository {
    /// Which registrations of a device are deleted, and in which order.
    package enum Removal: Hashable, Sendable {
        /// All, the newest first: this includes waiting ones, which must not be applied any more.
        case all
        /// Finished registrations, the oldest first: the newest one represents the device's state as long as it exists.
        case finished
    }

    /// Deletes some registrations, as many as there is room for.
    ///
    /// - Returns: whether all have been deleted.
    package func deleteSome(of device: Int64, _ removal: Removal = .all, in room: inout MoveRoom) throws -> Bool {
        guard room.registrations > 0, room.bytes > 0 else { return false }
        let limit = room.registrations
        var bytes = ByteRoom(room.bytes)
        let ids = try connection.query(
            Self.removedSQL(removal), [.integer(device), .integer(limit)], texts: [1, 2], in: &bytes
        ) { $0.integer(0) }
        room.registrations -= ids.count
        room.bytes = bytes.left
        if !ids.isEmpty {
            // A number may be used again, and must not inherit the failed attempts of another registration.
            try connection.execute(
                "DELETE FROM work_attempts WHERE kind = 'registration' AND subject IN (\(connection.dialect.integers))",
                [.integers(ids)]
            )
            try connection.executeEach(
                "DELETE FROM registrations WHERE device_id = ? AND id = ?",
                ids.map { [.integer(device), .integer($0)] }
            )
        }
        return !bytes.isCut && ids.count < limit
    }

    /// Its arguments are the device and the limit.
    private static func removedSQL(_ removal: Removal) -> SQLText {
        let columns: SQLText = "SELECT id, snapshot, rejected FROM registrations WHERE device_id = ?"
        return switch removal {
        case .all: "\(columns) ORDER BY revision DESC LIMIT ?"
        case .finished: "\(columns) AND status <> 'received' ORDER BY revision LIMIT ?"
        }
    }
}
