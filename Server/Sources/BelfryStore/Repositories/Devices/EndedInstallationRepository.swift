/// Devices whose installation has ended (SEC-10), and whose data is not completely removed yet: registrations, and the
/// inbox of the installation. There may be very much of it, so what is too much for the transaction that ends the
/// installation is removed in the background (SEC-2). Until that is done, no new installation gets the row, and the
/// rest is shown to nobody.
///
/// The mark is an event move without a source and a target contact, so the worker that continues moves also continues
/// the removal.
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

    /// The given devices that have no such mark.
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

    /// Removes some of the remaining data of an ended installation.
    ///
    /// - Returns: whether nothing is left.
    func remove(_ device: Int64, in room: inout MoveRoom) throws -> Bool {
        // A program of the version before may have given the row to a new user, whose data must stay.
        if let row = try connection.devices.findAnywhere(id: device), row.contact != nil { return true }
        return try removeWords(of: device, in: &room)
    }

    /// Removes the registrations and messages of an installation that ends, or has ended.
    ///
    /// - Returns: whether nothing is left.
    package func removeWords(of device: Int64, in room: inout MoveRoom) throws -> Bool {
        try connection.contactWords?.deleteAll(ofDevice: device)
        let areGone = try connection.registrations.deleteSome(of: device, in: &room)
        let inbox = try connection.centerMessages.eraseSome(of: MessageHolder.installation(device).number, in: &room)
        return areGone && inbox.areAll
    }
}

extension SQLConnection {
    package var endedInstallations: EndedInstallationRepository { EndedInstallationRepository(connection: self) }
}
