import Foundation

/// A move of a device's events and registrations from one contact to another, in the background.
package struct EventMove: Hashable, Sendable {
    package let device: Int64
    /// The contact from which they are moved.
    package let contact: Int64
    let other: Int64
    /// The event after which the move continues. Registrations that were already moved belong to the other contact.
    let after: String

    /// The position of a move among all moves.
    package struct Position: Hashable, Sendable {
        package let device: Int64
        package let contact: Int64

        /// Before the first move.
        package static let start = Position(device: .min, contact: .min)

        /// After all moves of the same device.
        package var endOfDevice: Position { Position(device: device, contact: .max) }
    }

    package var position: Position { Position(device: device, contact: contact) }

    /// The contact number that marks the data of an ended installation, which is deleted or goes to its heir
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

/// The moves that were too large for the transaction of a login or a merge (SEC-9): a device may have sent any number
/// of events, for any contacts, and all of them are scanned; and its registrations of 30 days may be some gigabytes.
package struct EventMoveRepository {
    /// The most events of a device that the transaction of a login scans.
    package static let movedAtOnce = 10_000
    /// The most events that a step in the background scans.
    package static let movedLater = 1_000
    /// The most registrations of one contact that either of them moves.
    package static let registrationsAtOnce = 1_000
    /// The most moves to follow for a target: a contact is merged into a known one, and that into others only by an
    /// operator.
    private static let maximumSteps = 8

    let connection: any SQLConnection

    /// The next move after a position, in a circle. Moves that are in quarantine, or on which another process works,
    /// are skipped (SEC-8).
    ///
    /// - Parameter owner: the process that asks.
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

    /// The key is a device.
    private static let ofDeviceQuery = KeyedQuery { asked in
        """
        SELECT \(EventMove.columns) FROM event_moves
        WHERE device_id = \(asked(.integer)) ORDER BY contact_id
        """
    }

    /// The moves of some devices that lead to a contact.
    package func arriving(at contact: Int64, of devices: [Int64]) throws -> [EventMove] {
        let moves = try connection.queryEach(Self.ofDeviceQuery, devices.map { [.integer($0)] }, EventMove.init)
        return try moves.flatMap(\.self).filter { try $0.contact != EventMove.ended && target(of: $0) == contact }
    }

    /// The key is a device and a contact.
    private static let ofSourceQuery = KeyedQuery { asked in
        """
        SELECT \(EventMove.columns) FROM event_moves
        WHERE device_id = \(asked(.integer)) AND contact_id = \(asked(.integer))
        """
    }

    /// For each device and contact, the move of the device's data away from the contact; nil: none.
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

    /// Deletes all moves of an erased device.
    package func deleteAll(of device: Int64) throws {
        try connection.execute(
            "DELETE FROM work_attempts WHERE kind = 'eventMove' AND subject = ?", [.integer(device)]
        )
        try connection.execute("DELETE FROM event_moves WHERE device_id = ?", [.integer(device)])
    }

    /// Moves a device's events and registrations from one contact to another: as much as there is room for now, the
    /// rest in the background (ID-8, ADM-5). If they are already being moved to another contact, that move gets the new
    /// target.
    package func begin(of device: Int64, from contact: Int64, to other: Int64, in room: inout MoveRoom) throws {
        if let underWay = try find(device: device, contact: contact) {
            try takeNewest(on: underWay, in: &room)
            return try startOver(underWay)
        }
        guard let reached = try take(from: contact, to: other, of: device, after: "", in: &room) else { return }
        try insert(EventMove(device: device, contact: contact, other: other, after: reached))
    }

    /// Begins the move with the room for a single device.
    package func begin(of device: Int64, from contact: Int64, to other: Int64) throws {
        var room = MoveRoom.atOnce
        try begin(of: device, from: contact, to: other, in: &room)
    }

    /// Has a move look through all events again: the device was back with the contact, and may have sent some that lie
    /// before the place that the move has reached.
    private func startOver(_ move: EventMove) throws {
        guard !move.after.isEmpty else { return }
        try note("", on: move)
    }

    private func note(_ reached: String, on move: EventMove) throws {
        try connection.execute(
            "UPDATE event_moves SET after_event = ? WHERE device_id = ? AND contact_id = ?",
            [.text(reached), .integer(move.device), .integer(move.contact)]
        )
    }

    /// Moves the newest registration now, as every move does, since a review needs that one (REG-25): the device was
    /// back with the contact, and may have registered for it. The others follow in the background.
    private func takeNewest(on move: EventMove, in room: inout MoveRoom) throws {
        guard let other = try target(of: move), let newest = try newestRevision(of: move.device, under: move.contact),
            try newestRevision(of: move.device, under: other).map({ newest > $0 }) ?? true
        else { return }
        try connection.hold { [other] }
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

    /// Continues a move by one step. Data whose target no longer exists is deleted.
    ///
    /// - Returns: false when nothing is left to move, or another process has continued the move.
    package func go(on move: EventMove) throws -> Bool {
        guard try find(device: move.device, contact: move.contact) == move else { return false }
        var room = MoveRoom.later
        guard move.contact != EventMove.ended else {
            guard try connection.endedInstallations.remove(by: move, in: &room) else { return true }
            try delete(move)
            return false
        }
        let other = try target(of: move)
        // Else the events could come to a contact that is erased meanwhile (REG-36).
        try connection.hold { [other] }
        let reached = try take(from: move.contact, to: other, of: move.device, after: move.after, in: &room)
        guard let reached else {
            try delete(move)
            return false
        }
        try note(reached, on: move)
        return true
    }

    /// - Parameter other: the new contact; nil: the data is deleted.
    /// - Returns: the event after which the next step continues; nil when nothing is left.
    private func take(
        from contact: Int64, to other: Int64?, of device: Int64, after event: String, in room: inout MoveRoom
    ) throws -> String? {
        let areAllRegistrations = try connection.registrations.take(
            from: contact, to: other, of: device, in: &room
        )
        let events = try connection.events.take(from: contact, to: other, of: device, after: event, in: &room)
        return areAllRegistrations && events.areAll ? nil : events.reached
    }

    /// The contact that gets the events of a device for a contact: the target of their move if they are on their way
    /// (SEC-9), so that no event is left behind the place that the move has reached. Nil if it no longer exists.
    package func destination(of device: Int64, from contact: Int64) throws -> Int64? {
        guard let move = try find(device: device, contact: contact) else { return contact }
        return try target(of: move)
    }

    /// The present target of a move: the contact may have been merged into another one since. Nil if it no longer
    /// exists.
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
    /// Scans some events of a device for those of a contact, as many as there is room for, and moves these.
    ///
    /// - Parameter other: the new contact; nil: the events are deleted.
    /// - Returns: the last event that was scanned, and whether all have been scanned.
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

    /// Scans the next events of a device, as many as there is room for.
    ///
    /// - Parameter contact: the contact whose events are wanted; events of others are scanned but not changed. Nil: all
    ///   events.
    /// - Returns: the last event, and whether all have been scanned.
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
