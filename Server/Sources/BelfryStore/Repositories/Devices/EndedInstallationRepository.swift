/// Devices whose installation has ended (SEC-10), and of which some is still to be removed: what it has registered, and its
/// own inbox. That may be very much, so what is too much for the transaction that ends it goes in the background (SEC-2).
/// Nobody gets the row of the device before that is done, and nobody is shown what is left.
///
/// The mark is a move of events from nobody to nobody, for which whoever goes on with moves goes on with it.
package struct EndedInstallationRepository {
    let connection: any SQLConnection

    package func insert(_ device: Int64) throws {
        guard try !contains(device) else { return }
        try connection.eventMoves.insert(
            EventMove(device: device, contact: EventMove.ended, other: EventMove.ended, after: "")
        )
    }

    package func contains(_ device: Int64) throws -> Bool {
        try connection.eventMoves.find(device: device, contact: EventMove.ended) != nil
    }

    /// Those of some devices that are none.
    package func without(_ devices: [Int64]) throws -> [Int64] {
        guard !devices.isEmpty else { return [] }
        let ended = try connection.query(
            """
            SELECT device_id FROM event_moves
            WHERE device_id IN (\(connection.dialect.integers)) AND contact_id = \(EventMove.ended)
            """,
            [.integers(devices)]
        ) { $0.integer(0) }
        guard !ended.isEmpty else { return devices }
        let left = Set(ended)
        return devices.filter { !left.contains($0) }
    }

    /// Removes some of what is left of one.
    ///
    /// - Returns: whether nothing is left.
    func remove(_ device: Int64, in room: inout MoveRoom) throws -> Bool {
        // A program of the version before may have given the row to somebody, whose words would go as well.
        if let row = try connection.devices.findAnywhere(id: device), row.contact != nil { return true }
        return try removeWords(of: device, in: &room)
    }

    /// What an installation that ends, or has ended, has registered and was sent.
    ///
    /// - Returns: whether nothing is left.
    package func removeWords(of device: Int64, in room: inout MoveRoom) throws -> Bool {
        let areGone = try connection.registrations.deleteSome(of: device, in: &room)
        let inbox = try connection.centerMessages.eraseSome(of: MessageHolder.installation(device).number, in: &room)
        return areGone && inbox.areAll
    }
}

extension SQLConnection {
    package var endedInstallations: EndedInstallationRepository { EndedInstallationRepository(connection: self) }
}
