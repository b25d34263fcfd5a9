/// What a device has registered goes some at a time: within 30 days it may be more than a gigabyte (SEC-2).
extension RegistrationRepository {
    /// Which registrations of a device go, and which of them first.
    package enum Removal: Hashable, Sendable {
        /// All, the newest first: those that wait are among these, and must not be applied any more.
        case all
        /// What does not wait any more, the oldest first: the newest counts as what the device has said as long as it is
        /// there.
        case finished
    }

    /// Removes some of them, as many as there is room for.
    ///
    /// - Returns: whether those were all.
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
            // A number may come again, and another's failures are none of its own.
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

    /// The device and the limit are its arguments.
    private static func removedSQL(_ removal: Removal) -> SQLText {
        let columns: SQLText = "SELECT id, snapshot, rejected FROM registrations WHERE device_id = ?"
        return switch removal {
        case .all: "\(columns) ORDER BY revision DESC LIMIT ?"
        case .finished: "\(columns) AND status <> 'received' ORDER BY revision LIMIT ?"
        }
    }
}
