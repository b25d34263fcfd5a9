/// How much of what a device has sent and registered a transaction still gives to another contact. A number of rows bounds
/// no time: an event may have 64 KiB, and a registration a megabyte (SEC-2, SEC-9).
package struct MoveRoom: Hashable, Sendable {
    /// Bytes of events and registrations together.
    package static let maximumBytes = 8 << 20
    /// Of a login, or of one device in a merge.
    package static let atOnce = MoveRoom(events: EventMoveRepository.movedAtOnce)
    /// Of a step in the background.
    static let later = MoveRoom(events: EventMoveRepository.movedLater)

    /// How many are looked through, whoever they are of.
    var events: Int
    var registrations = EventMoveRepository.registrationsAtOnce
    var bytes = MoveRoom.maximumBytes

    private init(events: Int) {
        self.events = events
    }
}
