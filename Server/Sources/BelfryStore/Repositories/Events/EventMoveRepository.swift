import Foundation

/// What a device has sent and registered under one contact, on its way to another one in the background.
package struct EventMove: Hashable, Sendable {
    package let device: Int64
    /// Whose they were.
    package let contact: Int64
    let other: Int64
    /// Behind which event it goes on. Of the registrations those that it has behind it are the other contact's.
    let after: String

    /// Where one lies among all.
    package struct Position: Hashable, Sendable {
        package let device: Int64
        package let contact: Int64

        /// Before the first.
        package static let start = Position(device: .min, contact: .min)

        /// Behind all of the same device.
        package var endOfDevice: Position { Position(device: device, contact: .max) }
    }

    package var position: Position { Position(device: device, contact: contact) }

    /// In place of the contact: what an installation that has ended has left behind is on its way to nobody
    /// (``EndedInstallationRepository``). No contact has this number.
    static let ended: Int64 = 0
}

extension EventMove {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case device, contact, other, after

        var sql: SQLText {
            switch self {
            case .device: "device_id"
            case .contact: "contact_id"
            case .other: "other_id"
            case .after: "after_event"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            device: row.integer(.device), contact: row.integer(.contact), other: row.integer(.other),
            after: row.text(.after)
        )
    }
}

/// The moves that were too much for the transaction of a login or a merge (SEC-9): a device may have sent any number of
/// events, whoever they were of, and all of them are looked through; and what it has registered within 30 days may be
/// some gigabytes.
package struct EventMoveRepository {
    /// Events of a device that the transaction of a login looks through.
    package static let movedAtOnce = 10_000
    /// The same of a step in the background.
    package static let movedLater = 1_000
    /// Registrations of one contact that either of them moves.
    package static let registrationsAtOnce = 1_000
    /// A contact goes into a known one, and that into others by an operator only.
    private static let maximumSteps = 8

    let connection: any SQLConnection

    /// The next one behind a place, in a circle. Those are left out that are set aside, or that another process is at
    /// (SEC-8).
    ///
    /// - Parameter owner: who asks.
    package func next(after place: EventMove.Position, for owner: String, now: Date) throws -> EventMove? {
        let free = WorkAttempt.arguments(.eventMove, by: owner, now: now)
        return try first(after: place, free) ?? first(after: .start, free)
    }

    private func first(after place: EventMove.Position, _ free: [SQLValue]) throws -> EventMove? {
        try connection.first(
            """
            SELECT \(EventMove.columns) FROM event_moves
            WHERE (device_id, contact_id) > (?, ?)
                AND \(WorkAttempt.isFree("event_moves.device_id", part: "event_moves.contact_id"))
            ORDER BY device_id, contact_id LIMIT 1
            """,
            [.integer(place.device), .integer(place.contact)] + free, EventMove.init
        )
    }

    /// By a device.
    private static let ofDeviceQuery = KeyedQuery { asked in
        """
        SELECT \(EventMove.columns) FROM event_moves
        WHERE device_id = \(asked(.integer)) ORDER BY contact_id
        """
    }

    /// What some devices have on its way to a contact.
    package func arriving(at contact: Int64, of devices: [Int64]) throws -> [EventMove] {
        let moves = try connection.queryEach(Self.ofDeviceQuery, devices.map { [.integer($0)] }, EventMove.init)
        return try moves.flatMap(\.self).filter { try $0.contact != EventMove.ended && target(of: $0) == contact }
    }

    /// By a device and a contact.
    private static let ofSourceQuery = KeyedQuery { asked in
        """
        SELECT \(EventMove.columns) FROM event_moves
        WHERE device_id = \(asked(.integer)) AND contact_id = \(asked(.integer))
        """
    }

    /// Of devices and contacts: what of the device is on its way from the contact to another one; nil: nothing.
    func leaving(_ sources: [(device: Int64, contact: Int64)]) throws -> [EventMove?] {
        let keys: [[SQLValue]] = sources.map { [.integer($0.device), .integer($0.contact)] }
        return try connection.queryEach(Self.ofSourceQuery, keys, EventMove.init).map(\.first)
    }

    func find(device: Int64, contact: Int64) throws -> EventMove? {
        try connection.first(
            """
            SELECT \(EventMove.columns) FROM event_moves
            WHERE device_id = ? AND contact_id = ?
            """,
            [.integer(device), .integer(contact)], EventMove.init
        )
    }

    func insert(_ move: EventMove) throws {
        try connection.execute(
            "INSERT INTO event_moves (device_id, contact_id, other_id, after_event) VALUES (?, ?, ?, ?)",
            [.integer(move.device), .integer(move.contact), .integer(move.other), .text(move.after)]
        )
    }

    func delete(_ move: EventMove) throws {
        try connection.execute(
            "DELETE FROM event_moves WHERE device_id = ? AND contact_id = ?",
            [.integer(move.device), .integer(move.contact)]
        )
        try connection.workAttempts.remove(.eventMove(device: move.device, contact: move.contact))
    }

    /// Of a device that is erased: nothing of it goes anywhere any more.
    package func deleteAll(of device: Int64) throws {
        try connection.execute(
            "DELETE FROM work_attempts WHERE kind = 'eventMove' AND subject = ?", [.integer(device)]
        )
        try connection.execute("DELETE FROM event_moves WHERE device_id = ?", [.integer(device)])
    }

    /// Gives what a device sent and registered under one contact to another: as much as there is room for at once, the rest
    /// in the background (ID-8, ADM-5). Where it is on its way to somebody already, it goes there.
    package func begin(of device: Int64, from contact: Int64, to other: Int64, in room: inout MoveRoom) throws {
        if let underWay = try find(device: device, contact: contact) {
            return try takeNewest(on: underWay, in: &room)
        }
        guard let reached = try take(from: contact, to: other, of: device, after: "", in: &room) else { return }
        try insert(EventMove(device: device, contact: contact, other: other, after: reached))
    }

    /// The same with the room of a device for itself.
    package func begin(of device: Int64, from contact: Int64, to other: Int64) throws {
        var room = MoveRoom.atOnce
        try begin(of: device, from: contact, to: other, in: &room)
    }

    /// The device was back with the contact, and may have registered for it. The newest goes at once, as with any move: a
    /// review asks for that one (REG-25). The others follow, whenever that is.
    private func takeNewest(on move: EventMove, in room: inout MoveRoom) throws {
        guard let other = try target(of: move), let newest = try newestRevision(of: move.device, under: move.contact),
            try newestRevision(of: move.device, under: other).map({ newest > $0 }) ?? true
        else { return }
        var one = room
        one.registrations = 1
        _ = try connection.registrations.take(from: move.contact, to: other, of: move.device, in: &one)
        room.bytes = one.bytes
    }

    private func newestRevision(of device: Int64, under contact: Int64) throws -> Int64? {
        try connection.first(
            "SELECT max(revision) FROM registrations WHERE contact_id = ? AND device_id = ?",
            [.integer(contact), .integer(device)]
        ) { $0.optionalInteger(0) } ?? nil
    }

    /// Moves some more of it. What was somebody's who is no more is removed.
    ///
    /// - Returns: false when there is nothing more to move, or another process was here.
    package func go(on move: EventMove) throws -> Bool {
        guard try find(device: move.device, contact: move.contact) == move else { return false }
        var room = MoveRoom.later
        guard move.contact != EventMove.ended else {
            guard try connection.endedInstallations.remove(move.device, in: &room) else { return true }
            try delete(move)
            return false
        }
        let reached = try take(
            from: move.contact, to: target(of: move), of: move.device, after: move.after, in: &room
        )
        guard let reached else {
            try delete(move)
            return false
        }
        try connection.execute(
            "UPDATE event_moves SET after_event = ? WHERE device_id = ? AND contact_id = ?",
            [.text(reached), .integer(move.device), .integer(move.contact)]
        )
        return true
    }

    /// - Parameter other: who gets it; nil: it is removed.
    /// - Returns: behind which event it goes on; nil when nothing is left.
    private func take(
        from contact: Int64, to other: Int64?, of device: Int64, after event: String, in room: inout MoveRoom
    ) throws -> String? {
        let areAllRegistrations = try connection.registrations.take(
            from: contact, to: other, of: device, in: &room
        )
        let events = try connection.events.take(from: contact, to: other, of: device, after: event, in: &room)
        return areAllRegistrations && events.areAll ? nil : events.reached
    }

    /// Where it goes: the contact may have gone into another one since. Nil when that is no more.
    func target(of move: EventMove) throws -> Int64? {
        var other = move.other
        for _ in 0..<Self.maximumSteps {
            guard let next = try find(device: move.device, contact: other) else { break }
            other = next.other
        }
        return try connection.contacts.surviving(other)
    }
}

extension EventRepository {
    /// Looks through some events of a device for those of a contact, as many as there is room for.
    ///
    /// - Parameter other: who gets them; nil: they are removed.
    /// - Returns: the last event that it has behind it, and whether those are all.
    fileprivate func take(
        from contact: Int64, to other: Int64?, of device: Int64, after id: String, in room: inout MoveRoom
    ) throws -> (reached: String, areAll: Bool) {
        let seen = try look(through: device, for: contact, after: id, in: &room)
        guard let last = seen.last else { return (id, seen.areAll) }
        let range: SQLText = "device_id = ? AND contact_id = ? AND event_id > ? AND event_id <= ?"
        let place: [SQLValue] = [.integer(device), .integer(contact), .text(id), .text(last)]
        if let other {
            try connection.execute("UPDATE events SET contact_id = ? WHERE \(range)", [.integer(other)] + place)
        } else {
            try connection.execute("DELETE FROM events WHERE \(range)", place)
        }
        return (last, seen.areAll)
    }

    /// Looks through the next events of a device, as many as there is room for.
    ///
    /// - Parameter contact: those of others are looked at and stay as they are; nil: whoever they are of.
    /// - Returns: the last one, and whether those are all.
    func look(
        through device: Int64, for contact: Int64?, after id: String, in room: inout MoveRoom
    ) throws -> (last: String?, areAll: Bool) {
        guard room.events > 0, room.bytes > 0 else { return (nil, false) }
        let limit = room.events
        let text: SQLText = contact == nil ? "attributes" : "CASE WHEN contact_id = ? THEN attributes ELSE '' END"
        let whose = contact.map { [SQLValue.integer($0)] } ?? []
        var bytes = ByteRoom(room.bytes)
        let seen = try connection.query(
            """
            SELECT event_id, \(text) FROM events
            WHERE device_id = ? AND event_id > ? ORDER BY event_id LIMIT ?
            """,
            whose + [.integer(device), .text(id), .integer(limit)], texts: [1], in: &bytes
        ) { $0.text(0) }
        room.events -= seen.count
        room.bytes = bytes.left
        return (seen.last, !bytes.isCut && seen.count < limit)
    }
}

extension SQLConnection {
    package var eventMoves: EventMoveRepository { EventMoveRepository(connection: self) }
}
