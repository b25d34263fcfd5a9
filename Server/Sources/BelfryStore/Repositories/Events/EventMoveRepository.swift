/// Events of a device that go from one contact to another in the background.
package struct EventMove: Hashable, Sendable {
    package let device: Int64
    /// Whose they were.
    package let contact: Int64
    let other: Int64
    /// Behind which event it goes on.
    let after: String

    /// Where one lies among all.
    package struct Position: Hashable, Sendable {
        package let device: Int64
        package let contact: Int64

        /// Before the first.
        package static let start = Position(device: .min, contact: .min)
    }

    package var position: Position { Position(device: device, contact: contact) }
}

/// The moves that were too much for the transaction of a login or a merge (SEC-9): a device may have sent any number of
/// events, whoever they were of, and all of them are looked through.
package struct EventMoveRepository {
    /// Events of a device that the transaction of a login looks through.
    package static let movedAtOnce = 10_000
    /// The same of a step in the background.
    package static let movedLater = 1_000
    /// A contact goes into a known one, and that into others by an operator only.
    private static let maximumSteps = 8

    let connection: any SQLConnection

    /// The next one behind a place, in a circle.
    package func next(after place: EventMove.Position) throws -> EventMove? {
        try first(after: place) ?? first(after: .start)
    }

    private func first(after place: EventMove.Position) throws -> EventMove? {
        try connection.first(
            """
            SELECT device_id, contact_id, other_id, after_event FROM event_moves
            WHERE (device_id, contact_id) > (?, ?) ORDER BY device_id, contact_id LIMIT 1
            """,
            [.integer(place.device), .integer(place.contact)], Self.move
        )
    }

    private func all(of device: Int64) throws -> [EventMove] {
        try connection.query(
            """
            SELECT device_id, contact_id, other_id, after_event FROM event_moves
            WHERE device_id = ? ORDER BY contact_id
            """,
            [.integer(device)], Self.move
        )
    }

    func find(device: Int64, contact: Int64) throws -> EventMove? {
        try connection.first(
            """
            SELECT device_id, contact_id, other_id, after_event FROM event_moves
            WHERE device_id = ? AND contact_id = ?
            """,
            [.integer(device), .integer(contact)], Self.move
        )
    }

    private static func move(_ row: any SQLRow) -> EventMove {
        EventMove(device: row.integer(0), contact: row.integer(1), other: row.integer(2), after: row.text(3))
    }

    func insert(_ move: EventMove) throws {
        try connection.execute(
            "INSERT INTO event_moves (device_id, contact_id, other_id, after_event) VALUES (?, ?, ?, ?)",
            [.integer(move.device), .integer(move.contact), .integer(move.other), .text(move.after)]
        )
    }

    private func delete(_ move: EventMove) throws {
        try connection.execute(
            "DELETE FROM event_moves WHERE device_id = ? AND contact_id = ?",
            [.integer(move.device), .integer(move.contact)]
        )
    }

    func deleteAll(of device: Int64) throws {
        try connection.execute("DELETE FROM event_moves WHERE device_id = ?", [.integer(device)])
    }

    /// Moves some more of a device's events. Those of somebody who is no more are removed.
    package func go(on move: EventMove) throws {
        guard try find(device: move.device, contact: move.contact) == move else { return }
        let other = try target(of: move)
        let reached = try connection.events.take(
            from: move.contact, to: other, of: move.device, after: move.after, limit: Self.movedLater
        )
        guard let reached else { return try delete(move) }
        try connection.execute(
            "UPDATE event_moves SET after_event = ? WHERE device_id = ? AND contact_id = ?",
            [.text(reached), .integer(move.device), .integer(move.contact)]
        )
    }

    /// Where the events go: the contact may have gone into another one since. Nil when that is no more.
    private func target(of move: EventMove) throws -> Int64? {
        var other = move.other
        for _ in 0..<Self.maximumSteps {
            guard let next = try find(device: move.device, contact: other) else { break }
            other = next.other
        }
        return try connection.contacts.surviving(other)
    }

    /// Gives up what is on its way to a contact that is erased.
    ///
    /// - Returns: whose the events still are.
    func giveUp(of device: Int64, to contact: Int64) throws -> [Int64] {
        let moves = try all(of: device).filter { try target(of: $0) == contact }
        for move in moves { try delete(move) }
        return moves.map(\.contact)
    }
}

extension EventRepository {
    /// Gives the events that a device sent under one contact to another: those among its first ones at once, the others
    /// in the background. Where they are on their way to somebody already, they go there.
    package func move(of device: Int64, from contact: Int64, to other: Int64) throws {
        guard try connection.eventMoves.find(device: device, contact: contact) == nil else { return }
        let reached = try take(
            from: contact, to: other, of: device, after: "", limit: EventMoveRepository.movedAtOnce
        )
        guard let reached else { return }
        try connection.eventMoves.insert(EventMove(device: device, contact: contact, other: other, after: reached))
    }

    /// Looks through some events of a device for those of a contact.
    ///
    /// - Parameter other: who gets them; nil: they are removed.
    /// - Returns: the last event that it looked at; nil when there are no more.
    fileprivate func take(
        from contact: Int64, to other: Int64?, of device: Int64, after id: String, limit: Int
    ) throws -> String? {
        let last = try connection.first(
            "SELECT event_id FROM events WHERE device_id = ? AND event_id > ? ORDER BY event_id LIMIT 1 OFFSET ?",
            [.integer(device), .text(id), .integer(limit - 1)]
        ) { $0.text(0) }
        let range: SQLText =
            "device_id = ? AND contact_id = ? AND event_id > ?\(last == nil ? "" : " AND event_id <= ?")"
        var place: [SQLValue] = [.integer(device), .integer(contact), .text(id)]
        if let last { place.append(.text(last)) }
        if let other {
            try connection.execute("UPDATE events SET contact_id = ? WHERE \(range)", [.integer(other)] + place)
        } else {
            try connection.execute("DELETE FROM events WHERE \(range)", place)
        }
        return last
    }
}

extension SQLConnection {
    package var eventMoves: EventMoveRepository { EventMoveRepository(connection: self) }
}
