/// The position from which the deletion of a device's events under a contact continues. Earlier events have been
/// scanned.
package struct EventRemovalPlace: Hashable, Sendable {
    let device: Int64
    let contact: Int64
    let after: String
}

/// Deletes events in steps: a device may have sent any number, and hundreds of megabytes (SEC-2).
extension EventRepository {
    /// Deletes some events of a device that no longer exists, for any contacts.
    ///
    /// - Returns: how many were deleted, and whether those were all.
    package func deleteSome(of device: Int64, in room: inout MoveRoom) throws -> (count: Int, areAll: Bool) {
        let seen = try look(through: device, for: nil, after: "", in: &room)
        guard let last = seen.last else { return (0, seen.areAll) }
        let count = try connection.execute(
            "DELETE FROM events WHERE device_id = ? AND event_id <= ?", [.integer(device), .text(last)]
        )
        return (count, seen.areAll)
    }

    /// Deletes some of a contact's events among those that a device has sent.
    ///
    /// Events on a move to the contact are the contact's, and no other events may be moved to it meanwhile. Events on a
    /// move away from the contact belong to another one since the login or merge that began the move (ID-8); that move
    /// continues.
    ///
    /// - Parameter place: where the deletion continues, if it is of this device and this contact.
    /// - Returns: how many were deleted, and where the next step continues; nil: none is left.
    package func deleteSome(
        of device: Int64, contact: Int64, from place: EventRemovalPlace?, in room: inout MoveRoom
    ) throws -> (count: Int, next: EventRemovalPlace?) {
        var count = 0
        for move in try connection.eventMoves.arriving(at: contact, of: [device]) {
            let held = try deleteSome(of: device, holder: move.contact, through: nil, from: place, in: &room)
            count += held.count
            guard held.next == nil else { return (count, held.next) }
            // Not earlier: the move is needed to find events that are still stored under the former contact.
            try connection.eventMoves.delete(move)
        }
        let leaving = try connection.eventMoves.find(device: device, contact: contact)
        let own = try deleteSome(of: device, holder: contact, through: leaving?.after, from: place, in: &room)
        return (count + own.count, own.next)
    }

    /// - Parameter end: the last event to delete; nil: all.
    private func deleteSome(
        of device: Int64, holder: Int64, through end: String?, from place: EventRemovalPlace?,
        in room: inout MoveRoom
    ) throws -> (count: Int, next: EventRemovalPlace?) {
        let isHere = place?.device == device && place?.contact == holder
        let start = isHere ? place?.after ?? "" : ""
        let seen = try look(through: device, for: holder, after: start, in: &room)
        let next =
            seen.areAll ? nil : EventRemovalPlace(device: device, contact: holder, after: seen.last ?? start)
        guard let last = seen.last else { return (0, next) }
        let beforeEnd: SQLText = end == nil ? "" : " AND event_id <= ?"
        let ends = [last, end].compactMap(\.self).map { SQLValue.text($0) }
        let count = try connection.execute(
            "DELETE FROM events WHERE device_id = ? AND contact_id = ? AND event_id > ? AND event_id <= ?\(beforeEnd)",
            [.integer(device), .integer(holder), .text(start)] + ends
        )
        return (count, next)
    }
}
