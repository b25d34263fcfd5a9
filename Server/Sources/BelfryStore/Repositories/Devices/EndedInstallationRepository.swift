/// Devices whose installation has ended (SEC-10), and whose data is not completely removed yet: registrations, and the
/// inbox of the installation. There may be very much of it, so what is too much for the transaction that ends the
/// installation is removed in the background (SEC-2). Until that is done, no new installation gets the row, and the
/// rest is shown to nobody.
///
/// If the app was re-installed and has taken the contact over, the inbox is not removed but goes to the new
/// installation, its heir (REG-23).
///
/// The mark is an event move without a source and a target contact, so the worker that continues moves also continues
/// the removal.
package struct EndedInstallationRepository {
    let connection: any SQLConnection

    /// Ends what an installation has said: removes as much of it as one transaction may, and marks the rest.
    ///
    /// - Parameters:
    ///   - device: the row as it was before the end.
    ///   - heir: the installation that gets the inbox; nil: none.
    package func end(_ device: DeviceRow, heir: DeviceRow?) throws {
        if let heir { try passOn(whatGoesTo: device, to: heir) }
        let earlier = try markOfEndBefore(device)
        let mark = earlier ?? EventMove(ended: device.id, heir: heir)
        var room = MoveRoom.atOnce
        // An installation that ends a second time has the heir of its first end.
        let receiver = try earlier == nil ? heir : self.heir(of: mark)
        let isDone = try removeWords(by: mark, heir: receiver, in: &room)
        guard !isDone, earlier == nil else { return }
        try connection.eventMoves.insert(mark)
    }

    /// The mark of the end before, if nobody has had the row since. A program of the version before may have given it to
    /// a new user: what is there is that user's, and goes to no heir of the installation before.
    private func markOfEndBefore(_ device: DeviceRow) throws -> EventMove? {
        guard let mark = try connection.eventMoves.find(device: device.id, contact: EventMove.ended) else { return nil }
        guard device.contact != nil else { return mark }
        try connection.eventMoves.delete(mark)
        return nil
    }

    /// The most installations before an heir whose inboxes may not have reached it yet.
    private static let maximumEarlier = 8

    /// If the installation was an heir itself, and has not got everything yet, the rest goes to its own heir. It may be of
    /// several installations, each of which was the heir of the one before.
    private func passOn(whatGoesTo device: DeviceRow, to heir: DeviceRow) throws {
        var later = device.id
        for _ in 0..<Self.maximumEarlier {
            guard let offer = try connection.takeoverOffers.find(device: later) else { return }
            later = offer.formerDevice
            guard let mark = try connection.eventMoves.find(device: later, contact: EventMove.ended),
                mark.isHeir(device)
            else { continue }
            try connection.eventMoves.delete(mark)
            try connection.eventMoves.insert(EventMove(ended: later, heir: heir))
        }
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
    func remove(by mark: EventMove, in room: inout MoveRoom) throws -> Bool {
        // A program of the version before may have given the row to a new user, whose data must stay.
        if let row = try connection.devices.findAnywhere(id: mark.device), row.contact != nil { return true }
        return try removeWords(by: mark, heir: heir(of: mark), in: &room)
    }

    /// The installation that gets the inbox. None if it has ended by now: who has its row then, if anybody, is somebody
    /// else.
    private func heir(of mark: EventMove) throws -> DeviceRow? {
        guard let device = mark.heir, let row = try connection.devices.findAnywhere(id: device), mark.isHeir(row) else {
            return nil
        }
        // Else messages could come to somebody who logs in on it meanwhile, or to the one that it becomes (FLEET-5).
        try connection.hold { [row.contact] }
        return row
    }

    /// Removes the registrations and messages of an installation that ends, or has ended. An heir gets the messages
    /// first, since somebody may be looking at them.
    ///
    /// - Returns: whether nothing is left.
    private func removeWords(by mark: EventMove, heir: DeviceRow?, in room: inout MoveRoom) throws -> Bool {
        try connection.contactWords?.deleteAll(ofDevice: mark.device)
        let messages = connection.centerMessages
        guard let heir else {
            let areGone = try connection.registrations.deleteSome(of: mark.device, in: &room)
            let inbox = try messages.eraseSome(of: MessageHolder.installation(mark.device).number, in: &room)
            return areGone && inbox.areAll
        }
        let areGiven = try messages.moveInbox(of: mark.device, to: heir.id, for: heir.contact, in: &room)
        let areGone = try connection.registrations.deleteSome(of: mark.device, in: &room)
        return areGiven && areGone
    }
}

extension EventMove {
    /// The mark of an ended installation. Its heir is in the columns of the target, as a holder of messages and with
    /// the epoch of the installation. A program that knows of no heir removes the rest of the inbox.
    fileprivate init(ended device: Int64, heir: DeviceRow?) {
        self.init(
            device: device, contact: Self.ended,
            other: heir.map { MessageHolder.installation($0.id).number } ?? Self.ended,
            after: heir.map { Self.mark(of: $0) } ?? ""
        )
    }

    fileprivate var heir: Int64? {
        if case .installation(let device) = MessageHolder(number: other) { device } else { nil }
    }

    /// Whether a device is the heir, and still the installation that it was then.
    fileprivate func isHeir(_ row: DeviceRow) -> Bool {
        heir == row.id && after.utf8.elementsEqual(Self.mark(of: row).utf8)
    }

    private static func mark(of row: DeviceRow) -> String { "\(row.epoch)" }
}

extension SQLConnection {
    package var endedInstallations: EndedInstallationRepository { EndedInstallationRepository(connection: self) }
}
